// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What Linux tells of this process in /proc (proc(5)); elsewhere nothing. Reading it blocks.
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
        let tasks = Self.names("\(root)/task").compactMap(Int.init).sorted()
        threadCount = tasks.isEmpty ? nil : tasks.count
        threads = tasks.prefix(Self.listLimit).compactMap { id in
            Self.text("\(root)/task/\(id)/stat").flatMap { Self.thread(id, $0) }
        }
        cpuSeconds = Self.text("\(root)/stat").flatMap { Self.thread(0, $0) }?.cpuSeconds
        memory = Self.text("\(root)/status").map(Self.memory)
        descriptors = Self.descriptors(root)
    }

    /// A line of `stat`. The name may hold blanks and parentheses: the fields after it begin behind the last one.
    static func thread(_ id: Int, _ stat: String) -> Thread? {
        guard let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        return Thread(
            id: id,
            name: String(stat[stat.index(after: begin)..<end]),
            state: String(fields[0]),
            cpuSeconds: (user + system) / Double(max(ticks, 1))
        )
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
        let names = names("\(root)/fd")
        guard !names.isEmpty else { return nil }
        var kinds: [String: Int] = [:]
        for name in names.prefix(listLimit) {
            // The one that reads the directory is gone by now.
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(root)/fd/\(name)") else {
                continue
            }
            kinds[kind(link), default: 0] += 1
        }
        let limits = text("\(root)/limits")?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return Descriptors(
            open: names.count,
            limit: limits.flatMap { $0.split(separator: " ").dropFirst(3).first }.flatMap { Int($0) },
            kinds: kinds
        )
    }

    private static func names(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private static func text(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }
}
