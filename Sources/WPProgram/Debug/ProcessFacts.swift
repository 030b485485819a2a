// SPDX-License-Identifier: MIT

import WPMetrics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The facts that Linux reports about this process in /proc (proc(5)); empty on other systems. Blocks.
struct ProcessFacts {
    /// The maximum number of descriptors to inspect individually.
    static let listLimit = 4096

    struct Descriptors {
        var open: Int
        var limit: Int?
        /// The number of each kind among the first ``ProcessFacts/listLimit``.
        var kinds: [String: Int]
    }

    var processID = Int(getpid())
    var descriptors: Descriptors?
    var threadCount: Int?

    init(root: String = "/proc/self") {
        threadCount = ProcFile.names("\(root)/task")?.count
        descriptors = Self.descriptors(root)
    }

    /// The kind of a descriptor, from the target of its link.
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
            // The descriptor used to read the directory is already closed.
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
