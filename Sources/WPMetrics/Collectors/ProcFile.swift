// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads files in Linux's /proc (proc(5)), whose size is not known in advance.
package enum ProcFile {
    /// More than any file in /proc, even one with a line per processor and interrupt.
    private static let maximumSize = 4 << 20
    /// The maximum length of a link's target.
    private static let maximumLink = 4096

    /// The text of a file; nil if it cannot be read or exceeds 4 MiB.
    package static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= maximumSize {
            let count = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { chunk -> Int in
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                if count > 0 { bytes.append(contentsOf: chunk.prefix(count)) }
                return count
            }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            if count < 0, errno != EINTR { return nil }
        }
        return nil
    }

    /// The entries of a directory, unordered; nil if it cannot be read.
    package static func names(_ path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The target of a symbolic link; nil if it cannot be read.
    package static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: maximumLink) { target in
            guard let start = target.baseAddress else { return nil }
            let count = readlink(path, start, target.count)
            return count >= 0 ? String(decoding: UnsafeRawBufferPointer(target).prefix(count), as: UTF8.self) : nil
        }
    }

    /// The soft limit with a name such as `Max open files` in the text of `/proc/PID/limits`: a number, or `unlimited`.
    package static func softLimit(_ name: String, in limits: String) -> Substring? {
        guard let line = lines(of: limits, startingWith: name).first else { return nil }
        return words(of: line.dropFirst(name.utf8.count)).first
    }

    /// The lines that start with a name. Compares bytes, which is twenty times faster than comparing `Character`s.
    static func lines(of text: String, startingWith name: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: name.utf8) }
    }

    /// The words of a line, separated by spaces.
    static func words(of line: Substring.UTF8View) -> [Substring] {
        line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
    }

    /// The number of open descriptors of this process; nil if it cannot be read.
    static func openDescriptorCount() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Excludes ".", "..", and the descriptor that reads the directory.
        return max(0, count - 3)
    }
}

/// The text of `/proc/PID/stat` or `/proc/PID/task/TID/stat`.
package struct ProcStat: Sendable {
    /// The name of the process or thread, which may contain spaces and parentheses.
    package let name: String
    /// The fields after the name, starting with the third.
    private let fields: [Substring]

    /// - Returns: nil if the text has no name in parentheses.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let begin = bytes.firstIndex(of: UInt8(ascii: "(")), let end = bytes.lastIndex(of: UInt8(ascii: ")")),
            begin < end
        else { return nil }
        name = String(text[bytes.index(after: begin)..<end])
        fields = ProcFile.words(of: bytes[bytes.index(after: end)...])
    }

    /// A field, numbered as in proc(5), at least 3; nil if it is missing.
    package func field(_ number: Int) -> Substring? {
        fields.indices.contains(number - 3) ? fields[number - 3] : nil
    }

    /// `R` for running, `S` for sleeping, `D` for uninterruptible sleep, usually waiting for a disk.
    package var state: String { field(3).map(String.init) ?? "" }

    /// User and system CPU time in seconds; nil if it is missing.
    package var cpuSeconds: Double? {
        guard let user = number(14), let system = number(15), let ticksPerSecond = Self.ticksPerSecond else {
            return nil
        }
        return (user + system) / ticksPerSecond
    }

    /// The start time after boot in seconds; nil if it is missing.
    var startAfterBoot: Double? {
        guard let ticks = number(22), let ticksPerSecond = Self.ticksPerSecond else { return nil }
        return ticks / ticksPerSecond
    }

    /// Address space in bytes; nil if it is missing.
    var virtualMemoryBytes: Double? { number(23) }

    /// Resident memory in bytes; nil if it is missing.
    var residentMemoryBytes: Double? {
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        return pageSize > 0 ? number(24).map { $0 * pageSize } : nil
    }

    private func number(_ field: Int) -> Double? { self.field(field).flatMap { Double($0) } }

    private static var ticksPerSecond: Double? {
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        return ticks > 0 ? Double(ticks) : nil
    }
}
