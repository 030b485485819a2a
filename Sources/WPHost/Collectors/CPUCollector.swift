// SPDX-License-Identifier: MIT

/// Modes of a processor, in the order of the columns of `/proc/stat` (proc(5)).
package enum CPUMode: Int, Sendable, Hashable, CaseIterable {
    case user, nice, system, idle, iowait, irq, softirq, steal
    /// Running a guest; part of ``user``.
    case guest
    /// Running a niced guest; part of ``nice``.
    case guestNice
}

/// The time that one processor, or all together, spent since boot.
package struct CPUTimes: Sendable, Hashable {
    /// Ticks of `/proc/stat` per second: USER_HZ is 100 on all Linux systems.
    static let ticksPerSecond = 100.0

    /// Indexed by mode. Kernels before 2.6.33 report fewer columns.
    let ticks: [UInt64]

    /// The time in one mode in seconds; nil if this kernel does not report it.
    package func seconds(_ mode: CPUMode) -> Double? {
        mode.rawValue < ticks.count ? Double(ticks[mode.rawValue]) / Self.ticksPerSecond : nil
    }

    /// The counters of `newer`, or the current ones where they are larger: counters never decrease. If the idle time
    /// falls by 3 s or more, the processor was offline, and its counters restart.
    func advanced(to newer: CPUTimes) -> (times: CPUTimes, isRestart: Bool) {
        let idle = CPUMode.idle.rawValue
        if newer.ticks.count != ticks.count
            || (ticks[idle] > newer.ticks[idle] && ticks[idle] - newer.ticks[idle] >= 300)
        {
            return (newer, true)
        }
        return (CPUTimes(ticks: zip(ticks, newer.ticks).map { max($0, $1) }), false)
    }
}

/// The shares of a processor's time between two samples, in percent.
public struct CPUUsage: Sendable, Hashable {
    /// Programs, niced or not, including guests.
    public let user: Double
    /// The kernel, including interrupts.
    public let system: Double
    /// Idle.
    package let idle: Double
    /// Idle, while a task waits for a device.
    package let iowait: Double
    /// Stolen by the hypervisor.
    package let steal: Double
    /// Busy: neither idle nor waiting nor stolen.
    public var busy: Double { min(user + system, 100) }

    /// The usage between two samples; nil if no tick passed.
    init?(from old: CPUTimes, to new: CPUTimes) {
        let differences = zip(new.ticks, old.ticks).map { Double($0 &- $1) }
        func ticks(_ modes: CPUMode...) -> Double {
            modes.reduce(0) { $1.rawValue < differences.count ? $0 + differences[$1.rawValue] : $0 }
        }
        // User and nice include the guests.
        let all = ticks(.user, .nice, .system, .idle, .iowait, .irq, .softirq, .steal)
        guard all > 0 else { return nil }
        user = ticks(.user, .nice) / all * 100
        system = ticks(.system, .irq, .softirq) / all * 100
        idle = ticks(.idle) / all * 100
        iowait = ticks(.iowait) / all * 100
        steal = ticks(.steal) / all * 100
    }
}

/// Processor time.
public struct CPUSample: Sendable, Hashable {
    /// One processor.
    package struct Core: Sendable, Hashable {
        /// Its number.
        package let number: Int
        /// Its time since boot.
        package let times: CPUTimes
        /// Its usage since the last sample; nil in the first one, and after it was offline.
        package let usage: CPUUsage?
    }

    /// The sum over all processors, as reported by the kernel.
    package internal(set) var total: CPUTimes?
    /// The usage of all processors since the last sample; nil in the first one.
    public internal(set) var usage: CPUUsage?
    /// The online processors, by number.
    package internal(set) var cores: [Core] = []
}

extension CPUSample {
    /// The usage of each processor and of all together, since an earlier sample of the same machine or since the
    /// previous one, whichever is older.
    func usages(since earlier: CPUSample?) -> (total: CPUUsage?, cores: [CPUUsage?]) {
        guard let earlier, let old = earlier.total, let total, old != total else {
            return (usage, cores.map(\.usage))
        }
        func difference(_ old: CPUTimes?, _ new: CPUTimes) -> CPUUsage? {
            guard let old else { return nil }
            let (times, isRestart) = old.advanced(to: new)
            return isRestart ? nil : CPUUsage(from: old, to: times)
        }
        let known = Dictionary(earlier.cores.map { ($0.number, $0.times) }, uniquingKeysWith: { first, _ in first })
        return (difference(old, total), cores.map { difference(known[$0.number], $0.times) })
    }
}

/// Reads the `cpu` lines of `/proc/stat`.
struct CPUCollector: PlainCollector {
    static let name = "cpu"
    static let group = HostSampleGroup.cpu
    private static let modes: [(CPUMode, String)] = [
        (.user, "user"), (.nice, "nice"), (.system, "system"), (.idle, "idle"), (.iowait, "iowait"), (.irq, "irq"),
        (.softirq, "softirq"), (.steal, "steal"),
    ]

    private var total: CPUTimes?
    private var cores: [Int: CPUTimes] = [:]

    mutating func collect(_ context: inout CollectionContext) -> CPUSample? {
        var sample = CPUSample()
        let isRead = context.readLines(context.proc, "stat") { line in
            guard line.hasPrefix("cpu") else { return true }
            var fields = ByteScanner(line)
            let label = fields.field()?.dropping(3) ?? line
            guard let times = Self.times(&fields) else { return false }
            if label.isEmpty {
                (sample.total, sample.usage) = Self.follow(total, times)
            } else if let number = label.unsigned.flatMap({ Int(exactly: $0) }) {
                let (advanced, usage) = Self.follow(cores[number], times)
                sample.cores.append(CPUSample.Core(number: number, times: advanced, usage: usage))
            } else {
                return false
            }
            return true
        }
        guard isRead else { return nil }
        total = sample.total
        cores = Dictionary(sample.cores.map { ($0.number, $0.times) }, uniquingKeysWith: { $1 })
        return sample
    }

    static func addFamilies(of sample: CPUSample, to families: inout HostFamilies) {
        for core in sample.cores {
            let cpu = String(core.number)
            for (mode, name) in modes {
                let help = "Time that each processor spent in each mode."
                families.add("cpu_seconds_total", help, labels: ["cpu", cpu, "mode", name], core.times.seconds(mode))
            }
            for (mode, name) in [(CPUMode.guest, "user"), (.guestNice, "nice")] {
                families.add(
                    "cpu_guest_seconds_total",
                    "Time that each processor spent in guests, which is part of its user time.",
                    labels: ["cpu", cpu, "mode", name],
                    core.times.seconds(mode)
                )
            }
        }
    }

    private static func follow(_ old: CPUTimes?, _ new: CPUTimes) -> (CPUTimes, CPUUsage?) {
        guard let old else { return (new, nil) }
        let (times, isRestart) = old.advanced(to: new)
        return (times, isRestart ? nil : CPUUsage(from: old, to: times))
    }

    /// The columns of a line; nil unless all are numbers and there are at least the four of the oldest kernels.
    private static func times(_ fields: inout ByteScanner) -> CPUTimes? {
        var ticks: [UInt64] = []
        while let field = fields.field() {
            guard let value = field.unsigned else { return nil }
            ticks.append(value)
        }
        // Omits columns that future kernels may add.
        return ticks.count >= 4 ? CPUTimes(ticks: Array(ticks.prefix(CPUMode.allCases.count))) : nil
    }
}

extension HostSample {
    /// Processor time.
    public var cpu: CPUSample? { self[CPUCollector.self] }
}
