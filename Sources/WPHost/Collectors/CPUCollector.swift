// SPDX-License-Identifier: MIT

/// What a processor spends time on, in the order of the columns of `/proc/stat` (proc(5)).
package enum CPUMode: Int, Sendable, Hashable, CaseIterable {
    case user, nice, system, idle, iowait, irq, softirq, steal
    /// Running a guest; part of ``user``.
    case guest
    /// Running a niced guest; part of ``nice``.
    case guestNice
}

/// The time that one processor, or all together, spent since boot.
package struct CPUTimes: Sendable, Hashable {
    /// What a tick of `/proc/stat` is: USER_HZ is 100 on all Linux systems.
    static let ticksPerSecond = 100.0

    var ticks = SIMD16<UInt64>(repeating: 0)
    /// Kernels before 2.6.33 have fewer than all columns.
    var columns = 0

    /// The time in one mode in seconds; nil when this kernel does not count it.
    package func seconds(_ mode: CPUMode) -> Double? {
        mode.rawValue < columns ? Double(ticks[mode.rawValue]) / Self.ticksPerSecond : nil
    }

    /// What is shown after `newer` was read: counters never go back. When the idle time falls by 3 s or more, the
    /// processor was away, and its counters start again.
    func held(_ newer: CPUTimes) -> (times: CPUTimes, isRestart: Bool) {
        let idle = CPUMode.idle.rawValue
        if newer.columns != columns || (ticks[idle] > newer.ticks[idle] && ticks[idle] - newer.ticks[idle] >= 300) {
            return (newer, true)
        }
        return (CPUTimes(ticks: pointwiseMax(ticks, newer.ticks), columns: columns), false)
    }
}

/// How a processor, or all together, spent the time between two samples, in percent of it.
public struct CPUUsage: Sendable, Hashable {
    /// Programs, niced or not; guests are part of it.
    public let user: Double
    /// The kernel, with interrupts.
    public let system: Double
    /// Nothing to do.
    package let idle: Double
    /// Nothing to do, but waiting for a device.
    package let iowait: Double
    /// Taken by the hypervisor.
    package let steal: Double
    /// Busy: neither idle nor waiting nor stolen.
    public var busy: Double { min(user + system, 100) }

    /// The usage between two readings; nil when no tick passed.
    init?(from old: CPUTimes, to new: CPUTimes) {
        let difference = new.ticks &- old.ticks
        func ticks(_ modes: CPUMode...) -> Double {
            modes.reduce(0) { $0 + Double(difference[$1.rawValue]) }
        }
        // Guests are inside user and nice already.
        let all = ticks(.user, .nice, .system, .idle, .iowait, .irq, .softirq, .steal)
        guard all > 0 else { return nil }
        user = ticks(.user, .nice) / all * 100
        system = ticks(.system, .irq, .softirq) / all * 100
        idle = ticks(.idle) / all * 100
        iowait = ticks(.iowait) / all * 100
        steal = ticks(.steal) / all * 100
    }
}

/// The processors' time.
public struct CPUSample: Sendable, Hashable {
    /// One processor.
    package struct Core: Sendable, Hashable {
        /// The kernel's number of it.
        package let number: Int
        /// Its time since boot.
        package let times: CPUTimes
        /// Its usage since the last sample; nil in the first one, and after it was offline.
        package let usage: CPUUsage?
    }

    /// All together, as the kernel sums them.
    package internal(set) var total: CPUTimes?
    /// The usage of all together since the last sample; nil in the first one.
    public internal(set) var usage: CPUUsage?
    /// Those that are online, by number.
    package internal(set) var cores: [Core] = []
}

extension CPUSample {
    /// The usage of all together and of each processor since an earlier sample of the same machine, where that is
    /// longer ago than the last one; else since the last.
    func usages(since earlier: CPUSample?) -> (total: CPUUsage?, cores: [CPUUsage?]) {
        guard let earlier, let old = earlier.total, let total, old != total else {
            return (usage, cores.map(\.usage))
        }
        func difference(_ old: CPUTimes?, _ new: CPUTimes) -> CPUUsage? {
            guard let old else { return nil }
            let (times, isRestart) = old.held(new)
            return isRestart ? nil : CPUUsage(from: old, to: times)
        }
        let known = Dictionary(earlier.cores.map { ($0.number, $0.times) }, uniquingKeysWith: { first, _ in first })
        return (difference(old, total), cores.map { difference(known[$0.number], $0.times) })
    }
}

/// Reads the `cpu` lines of `/proc/stat`.
struct CPUCollector: HostCollector {
    static let name = HostCollectorName.cpu
    static let part: HostPart<CPUSample> = \.cpu

    private var total: CPUTimes?
    private var cores: [Int: CPUTimes] = [:]

    mutating func collect(_ context: inout CollectionContext) -> CPUSample? {
        var sample = CPUSample()
        var damaged: [String] = []
        let isRead: Void? = context.read(context.proc, "stat") { bytes in
            var scanner = ByteScanner(bytes)
            // The line of interrupts, which may be very long, comes after all processors.
            while let line = scanner.line(), !line.hasPrefix("intr") {
                guard line.hasPrefix("cpu") else { continue }
                var fields = ByteScanner(line)
                let label = fields.field()?.dropping(3) ?? line
                guard let times = Self.times(&fields) else {
                    damaged.append(line.string)
                    continue
                }
                if label.isEmpty {
                    (sample.total, sample.usage) = Self.follow(total, times)
                } else if let number = label.unsigned.flatMap({ Int(exactly: $0) }) {
                    let (held, usage) = Self.follow(cores[number], times)
                    sample.cores.append(CPUSample.Core(number: number, times: held, usage: usage))
                } else {
                    damaged.append(line.string)
                }
            }
        }
        for line in damaged { context.malformed(context.proc, "stat", line) }
        guard isRead != nil else { return nil }
        total = sample.total
        cores = Dictionary(sample.cores.map { ($0.number, $0.times) }, uniquingKeysWith: { $1 })
        return sample
    }

    private static func follow(_ old: CPUTimes?, _ new: CPUTimes) -> (CPUTimes, CPUUsage?) {
        guard let old else { return (new, nil) }
        let (times, isRestart) = old.held(new)
        return (times, isRestart ? nil : CPUUsage(from: old, to: times))
    }

    /// The columns of a line; nil unless there are at least the four of the oldest kernels, all numbers.
    private static func times(_ fields: inout ByteScanner) -> CPUTimes? {
        var times = CPUTimes()
        while let field = fields.field() {
            guard let value = field.unsigned else { return nil }
            // Columns of kernels to come are passed over.
            guard times.columns < CPUMode.allCases.count else { break }
            times.ticks[times.columns] = value
            times.columns += 1
        }
        return times.columns >= 4 ? times : nil
    }
}
