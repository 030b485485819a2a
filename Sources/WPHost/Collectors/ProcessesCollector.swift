// SPDX-License-Identifier: MIT

import WPCore

/// Reads `/proc/PID/stat` of all processes, and more for the processes that use the most processor time and memory.
///
/// Each of these files costs the kernel about ten microseconds. If there are more than a thousand processes, those
/// without processor time in their last three samples are read only in every fourth sample; no processor time is lost.
struct ProcessesCollector: HostCollector {
    static let name = "processes"
    static let group = HostSampleGroup.processes

    /// How long the boot time and the user names are cached, in seconds.
    private static let interval = 60.0
    private static let maximumCommandLine = 4096
    /// Up to this number of processes, all are read each time.
    private static let manyProcesses = 1000
    /// A process is idle after this number of samples without processor time.
    private static let idleReadings = 3
    /// An idle process is read once per this number of samples.
    private static let turns: UInt32 = 4

    private let top: Int
    private let includesCommandLines: Bool
    /// In order of PID.
    private var last: [Candidate] = []
    private var round: UInt32 = 0
    private var system: (time: TimePoint, boot: UInt64?, users: [String: String])?

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
        let busiest = Self.first(top, of: processes) {
            ($0.rate ?? 0, $0.times.pages) > ($1.rate ?? 0, $1.times.pages)
        }
        let largest = Self.first(top, of: processes) { $0.times.pages > $1.times.pages }
        last = processes
        refreshSystem(&context)
        var known: [Int32: ProcessSample] = [:]
        for candidate in busiest + largest where known[candidate.times.pid] == nil {
            known[candidate.times.pid] = describe(candidate, &context)
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
        var processes: [Candidate] = []
        processes.reserveCapacity(last.count + 64)
        let (proc, now) = (context.proc, context.now)
        var isSorted = true
        var damaged = 0
        do {
            try proc.forEachName(in: "") { name in
                guard let pid = Self.number(name) else { return }
                let old = known(pid)
                // A process that ended since it was listed is not a fault.
                guard let process = isResting(old) ? old : read(pid, name, proc, now, old, &damaged) else { return }
                if let previous = processes.last, previous.times.pid > pid { isSorted = false }
                processes.append(process)
            }
        } catch {
            context.faults.append(error)
            return nil
        }
        if damaged > 0 { context.malformed(proc, "PID/stat", "") }
        if !isSorted { processes.sort { $0.times.pid < $1.times.pid } }
        return processes
    }

    /// The previous values of the process.
    private func known(_ pid: Int32) -> Candidate? {
        var (low, high) = (0, last.count)
        while low < high {
            let middle = (low + high) / 2
            if last[middle].times.pid < pid { low = middle + 1 } else { high = middle }
        }
        return low < last.count && last[low].times.pid == pid ? last[low] : nil
    }

    /// Whether a process is skipped this time. The turns are spread by PID.
    private func isResting(_ candidate: Candidate?) -> Bool {
        guard let candidate, last.count > Self.manyProcesses, candidate.idle >= Self.idleReadings else { return false }
        return (UInt32(bitPattern: candidate.times.pid) &+ round) % Self.turns != 0
    }

    /// The PID in a directory name; nil for any other name.
    private static func number(_ name: UnsafePointer<CChar>) -> Int32? {
        var pid: Int32 = 0
        var length = 0
        while name[length] != 0 {
            let byte = UInt8(bitPattern: name[length])
            guard byte.isDigit, length < 9 else { return nil }
            pid = pid * 10 + Int32(byte &- 48)
            length += 1
        }
        return length > 0 ? pid : nil
    }

    private func read(
        _ pid: Int32,
        _ name: UnsafePointer<CChar>,
        _ proc: FileReader,
        _ now: TimePoint,
        _ old: Candidate?,
        _ damaged: inout Int
    ) -> Candidate? {
        let times = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 24) { path -> ProcessTimes? in
            var length = 0
            while name[length] != 0 {
                path[length] = name[length]
                length += 1
            }
            for (index, byte) in "/stat".utf8.enumerated() { path[length + index] = CChar(byte) }
            path[length + 5] = 0
            guard let base = path.baseAddress else { return nil }
            return proc.read(recordAt: UnsafePointer(base)) { stat in
                let process = ProcessTimes(pid: pid, stat: stat)
                if process == nil, !stat.isEmpty { damaged += 1 }
                return process
            }
        }
        guard let times else { return nil }
        guard let old, old.times.start == times.start, times.ticks >= old.times.ticks,
            let seconds = now.seconds(since: old.time)
        else { return Candidate(times: times, time: now, rate: nil, idle: 0) }
        let ticks = times.ticks - old.times.ticks
        return Candidate(
            times: times,
            time: now,
            rate: Double(ticks) / seconds,
            idle: ticks == 0 ? min(old.idle, Self.idleReadings) + 1 : 0
        )
    }

    /// The first few elements in the given order, without sorting all.
    private static func first(
        _ count: Int,
        of candidates: [Candidate],
        by isBefore: (Candidate, Candidate) -> Bool
    ) -> [Candidate] {
        guard count > 0 else { return [] }
        var first: [Candidate] = []
        for candidate in candidates {
            if first.count == count, let last = first.last, !isBefore(candidate, last) { continue }
            let index = first.firstIndex { isBefore(candidate, $0) } ?? first.endIndex
            first.insert(candidate, at: index)
            if first.count > count { first.removeLast() }
        }
        return first
    }

    private mutating func refreshSystem(_ context: inout CollectionContext) {
        if let system, context.now.seconds(since: system.time) ?? 0 < Self.interval { return }
        let boot = try? context.proc.read("stat") { bytes -> UInt64? in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                if line.hasPrefix("btime ") { return line.dropping(6).trimmed.unsigned }
            }
            return nil
        }
        // The host's users, which may differ from those of a container around this program.
        let users = try? context.root.read("etc/passwd") { bytes -> [String: String] in
            var users: [String: String] = [:]
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                let colon = UInt8(ascii: ":")
                guard let name = fields.prefix(upTo: colon), fields.prefix(upTo: colon) != nil,
                    let number = fields.prefix(upTo: colon), number.unsigned != nil
                else { continue }
                users[number.string] = users[number.string] ?? name.string
            }
            return users
        }
        system = (context.now, boot ?? nil, users ?? [:])
    }

    private func describe(
        _ candidate: Candidate,
        _ context: inout CollectionContext
    ) -> ProcessSample? {
        let times = candidate.times
        let proc = context.proc
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
        let start = system?.boot.map { Double($0) + Double(times.start) / CPUTimes.ticksPerSecond }
        return ProcessSample(
            pid: Int(times.pid),
            name: name,
            commandLine: commandLine,
            user: status?.user.map { system?.users[$0] ?? $0 },
            state: String(UnicodeScalar(times.state)),
            cpuPercent: candidate.rate.map { $0 / CPUTimes.ticksPerSecond * 100 },
            residentBytes: status?.resident ?? product(times.pages, SystemCalls.pageSize),
            threads: UInt64(times.threads),
            startTime: start
        )
    }

    /// The UID and the exact resident memory, of which `stat` contains an estimate.
    private static func status(_ bytes: Bytes) -> (user: String?, resident: UInt64?) {
        var user: String?
        var resident: UInt64?
        var scanner = ByteScanner(bytes)
        while let line = scanner.line() {
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
