// SPDX-License-Identifier: MIT

/// Reads `/proc/PID/stat` of all processes, and more of the few that use most of the machine.
struct ProcessCollector: HostCollector {
    static let name = HostCollectorName.processes
    static let part: HostPart<ProcessTable> = \.processes

    /// How long the start of the system and the names of users are taken to be the same.
    private static let interval = 60.0
    private static let maximumCommandLine = 4096

    private let top: Int
    private let includesCommandLines: Bool
    /// By number.
    private var last: [ProcessTimes] = []
    private var lastTime: HostTime?
    private var surroundings: (time: HostTime, boot: UInt64?, users: [String: String])?

    init(top: Int, includesCommandLines: Bool) {
        self.top = top
        self.includesCommandLines = includesCommandLines
    }

    private struct Candidate {
        let times: ProcessTimes
        /// Ticks since the last sample; nil when it was not there then.
        let ticks: UInt64?
    }

    mutating func collect(_ context: inout CollectionContext) -> ProcessTable? {
        let seconds = context.now.seconds(since: lastTime)
        guard let processes = readAll(&context) else { return nil }
        let candidates = candidates(processes)
        let busiest = Self.first(top, of: candidates) {
            ($0.ticks ?? 0, $0.times.pages) > ($1.ticks ?? 0, $1.times.pages)
        }
        let largest = Self.first(top, of: candidates) { $0.times.pages > $1.times.pages }
        last = processes
        lastTime = context.now
        refreshSurroundings(&context)
        var known: [Int32: ProcessSample] = [:]
        for candidate in busiest + largest where known[candidate.times.pid] == nil {
            known[candidate.times.pid] = describe(candidate, seconds, &context)
        }
        var states: [UInt8: Int] = [:]
        var threads: UInt64 = 0
        for process in processes {
            states[process.state, default: 0] += 1
            threads += UInt64(process.threads)
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

    /// All processes by number; nil when they cannot be listed.
    private func readAll(_ context: inout CollectionContext) -> [ProcessTimes]? {
        var processes: [ProcessTimes] = []
        processes.reserveCapacity(last.count + 64)
        let proc = context.proc
        var isSorted = true
        var damaged = 0
        do {
            try proc.forEachName(in: "") { name in
                // One that ended since it was listed is no fault.
                guard let process = Self.read(name, proc, &damaged) else { return }
                if let previous = processes.last, previous.pid > process.pid { isSorted = false }
                processes.append(process)
            }
        } catch {
            context.faults.append(error)
            return nil
        }
        if damaged > 0 { context.malformed(proc, "PID/stat", "") }
        if !isSorted { processes.sort { $0.pid < $1.pid } }
        return processes
    }

    private static func read(_ name: UnsafePointer<CChar>, _ proc: FileReader, _ damaged: inout Int) -> ProcessTimes? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 24) { path in
            var pid: Int32 = 0
            var length = 0
            while name[length] != 0 {
                let byte = UInt8(bitPattern: name[length])
                guard byte.isDigit, length < 10 else { return nil }
                pid = pid &* 10 &+ Int32(byte &- 48)
                path[length] = name[length]
                length += 1
            }
            for (index, byte) in "/stat".utf8.enumerated() { path[length + index] = CChar(byte) }
            path[length + 5] = 0
            guard let base = path.baseAddress else { return nil }
            return proc.read(at: UnsafePointer(base)) { stat in
                let process = ProcessTimes(pid: pid, stat: stat)
                if process == nil, !stat.isEmpty { damaged += 1 }
                return process
            }
        }
    }

    /// Joins this pass with the last one: both are sorted by number.
    private func candidates(_ processes: [ProcessTimes]) -> [Candidate] {
        var index = 0
        return processes.map { process in
            while index < last.count, last[index].pid < process.pid { index += 1 }
            guard index < last.count, last[index].pid == process.pid, last[index].start == process.start,
                process.ticks >= last[index].ticks
            else { return Candidate(times: process, ticks: nil) }
            return Candidate(times: process, ticks: process.ticks - last[index].ticks)
        }
    }

    /// The first few in an order, sorted by it, without sorting all.
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

    private mutating func refreshSurroundings(_ context: inout CollectionContext) {
        if let surroundings, context.now.seconds(since: surroundings.time) ?? 0 < Self.interval { return }
        let boot = try? context.proc.read("stat") { bytes -> UInt64? in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                if line.hasPrefix("btime ") { return line.dropping(6).trimmed.unsigned }
            }
            return nil
        }
        // The host's users, who need not be those of a container around this program.
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
        surroundings = (context.now, boot ?? nil, users ?? [:])
    }

    private func describe(
        _ candidate: Candidate,
        _ seconds: Double?,
        _ context: inout CollectionContext
    ) -> ProcessSample? {
        let times = candidate.times
        let proc = context.proc
        let name = try? proc.read("\(times.pid)/stat") { stat -> String? in
            // Another process may have got the number meanwhile.
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
        let start = surroundings?.boot.map { Double($0) + Double(times.start) / CPUTimes.ticksPerSecond }
        var cpu: Double?
        if let ticks = candidate.ticks, let seconds { cpu = Double(ticks) / CPUTimes.ticksPerSecond / seconds * 100 }
        return ProcessSample(
            pid: Int(times.pid),
            name: name,
            commandLine: commandLine,
            user: status?.user.map { surroundings?.users[$0] ?? $0 },
            state: String(UnicodeScalar(times.state)),
            cpuPercent: cpu,
            residentBytes: status?.resident ?? times.pages * SystemCalls.pageSize,
            threads: UInt64(times.threads),
            startTime: start
        )
    }

    /// The number of the user and the exact resident memory, of which `stat` has an estimate.
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
                resident = fields.unsigned().map { $0 &* 1024 }
                break
            }
        }
        return (user, resident)
    }
}
