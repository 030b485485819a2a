// SPDX-License-Identifier: MIT

import WPMetrics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What Linux says about this process in /proc (proc(5)); elsewhere nothing. Reading it blocks.
struct ProcessFacts: Encodable {
    /// The most threads and descriptors that are looked at one by one.
    static let listLimit = 4096

    struct Thread: Encodable {
        var id: Int
        var name: String
        /// `R` runs, `S` sleeps, `D` waits for a disk.
        var state: String
        /// Processor time, user and system.
        var cpuSeconds: Double
    }

    struct Descriptors: Encodable {
        var open: Int
        var limit: Int?
        /// How many of each kind there are, of the first ``ProcessFacts/listLimit``.
        var kinds: [String: Int]
    }

    struct Memory: Encodable {
        var residentBytes: Int?
        var peakResidentBytes: Int?
        var swappedBytes: Int?
        var virtualBytes: Int?
    }

    var processId = Int(getpid())
    var cpuSeconds: Double?
    var memory: Memory?
    var descriptors: Descriptors?
    var threadCount: Int?
    var threads: [Thread]

    init(root: String = "/proc/self") {
        let tasks = (ProcFile.names("\(root)/task") ?? []).compactMap(Int.init).sorted()
        threadCount = tasks.isEmpty ? nil : tasks.count
        threads = tasks.prefix(Self.listLimit).compactMap { id in
            ProcFile.text("\(root)/task/\(id)/stat").flatMap { Self.thread(id, $0) }
        }
        cpuSeconds = ProcFile.text("\(root)/stat").flatMap { ProcStat($0) }?.cpuSeconds
        memory = ProcFile.text("\(root)/status").map(Self.memory)
        descriptors = Self.descriptors(root)
    }

    /// What the text of a thread's `stat` says; nil when it has no processor time.
    static func thread(_ id: Int, _ text: String) -> Thread? {
        guard let stat = ProcStat(text), let cpuSeconds = stat.cpuSeconds else { return nil }
        return Thread(id: id, name: stat.name, state: stat.state, cpuSeconds: cpuSeconds)
    }

    static func memory(_ status: String) -> Memory {
        var memory = Memory()
        for line in status.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3, words[2] == "kB", let kibibytes = Int(words[1]), kibibytes < 1 << 50 else {
                continue
            }
            switch words[0] {
            case "VmRSS:": memory.residentBytes = kibibytes << 10
            case "VmHWM:": memory.peakResidentBytes = kibibytes << 10
            case "VmSwap:": memory.swappedBytes = kibibytes << 10
            case "VmSize:": memory.virtualBytes = kibibytes << 10
            default: break
            }
        }
        return memory
    }

    /// What a descriptor refers to, by the text of its link.
    static func kind(_ link: String) -> String {
        if link.hasPrefix("/dev/") { return "device" }
        if link.hasPrefix("/") { return "file" }
        if link.hasPrefix("anon_inode:") { return String(link.dropFirst(11).filter { $0 != "[" && $0 != "]" }) }
        return String(link.prefix { $0 != ":" })
    }

    private static func descriptors(_ root: String) -> Descriptors? {
        guard let names = ProcFile.names("\(root)/fd"), !names.isEmpty else { return nil }
        var kinds: [String: Int] = [:]
        for name in names.prefix(listLimit) {
            // The one that reads the directory is gone by now.
            guard let link = ProcFile.link("\(root)/fd/\(name)") else { continue }
            kinds[kind(link), default: 0] += 1
        }
        let limits = ProcFile.text("\(root)/limits")
        return Descriptors(
            open: names.count,
            limit: limits.flatMap { ProcFile.softLimit("Max open files", in: $0) }.flatMap { Int($0) },
            kinds: kinds
        )
    }
}
