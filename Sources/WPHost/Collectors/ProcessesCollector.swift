// SPDX-License-Identifier: MIT

import WPCore

/// Reads `/proc/PID/stat` of all processes, and more for the processes that use the most processor time and memory.
///
/// Each of these files costs the kernel about ten microseconds. If there are more than a thousand processes, those
/// without processor time in their last three samples are read only in every fourth sample; no processor time is lost.
struct ProcessesCollector: HostCollector {
    static let name = "processes"
    static let group = HostSampleGroup.processes

    private static let maximumCommandLine = 4096
    /// If there are at most this many processes, all are read in every sample.
    private static let manyProcesses = 1000
    /// A process is considered idle after this many samples without processor time.
    private static let idleSamples = 3
    /// An idle process is read in one of this many samples.
    private static let idleInterval: UInt32 = 4

    private let top: Int
    private let includesCommandLines: Bool
    private var last: [Int32: Candidate] = [:]
    private var round: UInt32 = 0

    init(_ configuration: HostConfiguration) {
        top = configuration.topProcesses
        includesCommandLines = configuration.includesCommandLines
    }

    private struct Candidate {
        let times: ProcessTimes
        /// When it was read.
        let time: TimePoint
        /// Ticks per second since it was last read; nil if it is new.
        let rate: Double?
        /// The number of consecutive samples without processor time.
        let idle: Int
    }

    mutating func collect(_ context: inout CollectionContext) -> ProcessTable? {
        round &+= 1
        guard let processes = readAll(&context) else { return nil }
        let busiest = processes.sorted { ($0.rate ?? 0, $0.times.pages) > ($1.rate ?? 0, $1.times.pages) }.prefix(top)
        let largest = processes.sorted { $0.times.pages > $1.times.pages }.prefix(top)
        last = Dictionary(processes.map { ($0.times.pid, $0) }, uniquingKeysWith: { $1 })
        let boot = bootTime(context)
        let users = users(context)
        var known: [Int32: ProcessSample] = [:]
        for candidate in busiest + largest where known[candidate.times.pid] == nil {
            known[candidate.times.pid] = describe(candidate, boot: boot, users: users, context.proc)
        }
        var states: [UInt8: Int] = [:]
        var threads: UInt64 = 0
        for process in processes {
            states[process.times.state, default: 0] += 1
            threads += UInt64(process.times.threads)
        }
        return ProcessTable(
            count: processes.count,
            threads: threads,
            states: Dictionary(
                states.map { (String(UnicodeScalar($0.key)), $0.value) },
                uniquingKeysWith: +
            ),
            busiest: busiest.compactMap { known[$0.times.pid] },
            largest: largest.compactMap { known[$0.times.pid] }
        )
    }

    /// All processes by PID; nil if they cannot be listed.
    private func readAll(_ context: inout CollectionContext) -> [Candidate]? {
        let names: [String]
        do {
            names = try context.proc.names(in: "")
        } catch {
            context.faults.append(error)
            return nil
        }
        var hasMalformed = false
        let processes = names.compactMap { Int32($0) }.sorted().compactMap { pid -> Candidate? in
            if let old = last[pid], isSkipped(old) { return old }
            // A process that ended since it was listed is not a fault.
            let times = try? context.proc.read("\(pid)/stat") { stat -> ProcessTimes? in
                let times = ProcessTimes(pid: pid, stat: stat)
                if times == nil, !stat.isEmpty { hasMalformed = true }
                return times
            }
            return times.map { candidate($0, at: context.now) }
        }
        if hasMalformed { context.malformed(context.proc, "PID/stat", "") }
        return processes
    }

    /// Whether this sample skips a process. Idle processes are distributed over the samples by PID.
    private func isSkipped(_ candidate: Candidate) -> Bool {
        guard last.count > Self.manyProcesses, candidate.idle >= Self.idleSamples else { return false }
        return (UInt32(bitPattern: candidate.times.pid) &+ round) % Self.idleInterval != 0
    }

    private func candidate(_ times: ProcessTimes, at now: TimePoint) -> Candidate {
        guard let old = last[times.pid], old.times.start == times.start, times.ticks >= old.times.ticks,
            let seconds = now.seconds(since: old.time)
        else { return Candidate(times: times, time: now, rate: nil, idle: 0) }
        let ticks = times.ticks - old.times.ticks
        return Candidate(
            times: times,
            time: now,
            rate: Double(ticks) / seconds,
            idle: ticks == 0 ? min(old.idle, Self.idleSamples) + 1 : 0
        )
    }

    private func bootTime(_ context: CollectionContext) -> UInt64? {
        try? context.proc.read("stat") { bytes in
            bytes.lines.first { $0.hasPrefix("btime ") }?.dropping(6).trimmed.unsigned
        }
    }

    /// The names of the host's users by UID; those of this program's container may differ.
    private func users(_ context: CollectionContext) -> [String: String] {
        let users = try? context.root.read("etc/passwd") { bytes -> [String: String] in
            var users: [String: String] = [:]
            for line in bytes.lines {
                var fields = ByteScanner(line)
                let colon = UInt8(ascii: ":")
                guard let name = fields.prefix(upTo: colon), fields.prefix(upTo: colon) != nil,
                    let number = fields.prefix(upTo: colon), number.unsigned != nil
                else { continue }
                users[number.string] = users[number.string] ?? name.string
            }
            return users
        }
        return users ?? [:]
    }

    private func describe(
        _ candidate: Candidate,
        boot: UInt64?,
        users: [String: String],
        _ proc: FileReader
    ) -> ProcessSample? {
        let times = candidate.times
        let name = try? proc.read("\(times.pid)/stat") { stat -> String? in
            // Another process may have reused the PID.
            guard ProcessTimes(pid: times.pid, stat: stat)?.start == times.start else { return nil }
            return ProcessTimes.name(stat)
        }
        guard let name = name ?? nil else { return nil }
        let status = try? proc.read("\(times.pid)/status") { Self.status($0) }
        var commandLine: String?
        if includesCommandLines {
            commandLine = try? proc.read("\(times.pid)/cmdline") { bytes in
                String(decoding: bytes.prefix(Self.maximumCommandLine).map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
            }
            while commandLine?.last == " " { commandLine?.removeLast() }
            if commandLine?.isEmpty ?? true { commandLine = nil }
        }
        let start = boot.map { Double($0) + Double(times.start) / CPUTimes.ticksPerSecond }
        return ProcessSample(
            pid: Int(times.pid),
            name: name,
            commandLine: commandLine,
            user: status?.user.map { users[$0] ?? $0 },
            state: String(UnicodeScalar(times.state)),
            cpuPercent: candidate.rate.map { $0 / CPUTimes.ticksPerSecond * 100 },
            residentBytes: status?.resident ?? product(times.pages, SystemCalls.pageSize),
            threads: UInt64(times.threads),
            startTime: start
        )
    }

    /// The UID and the exact resident memory; `stat` contains only an estimate of the latter.
    private static func status(_ bytes: Bytes) -> (user: String?, resident: UInt64?) {
        var user: String?
        var resident: UInt64?
        for line in bytes.lines {
            if line.hasPrefix("Uid:") {
                var fields = ByteScanner(line.dropping(4))
                user = fields.field()?.string
            } else if line.hasPrefix("VmRSS:") {
                var fields = ByteScanner(line.dropping(6))
                resident = fields.unsigned().flatMap { product($0, 1024) }
                break
            }
        }
        return (user, resident)
    }
}

extension HostSample {
    /// Processes.
    package var processes: ProcessTable? { self[ProcessesCollector.self] }
}
