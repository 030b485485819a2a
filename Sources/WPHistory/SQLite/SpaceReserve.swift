// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The space of a file system, in bytes.
package struct FileSystemSpace: Sendable, Hashable {
    /// The free space for unprivileged users.
    package var available: Int
    package var total: Int

    package init(available: Int, total: Int) {
        self.available = available
        self.total = total
    }

    /// The space of a path's file system; nil if unknown.
    package static func of(_ path: String) -> FileSystemSpace? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = Int(clamping: status.f_frsize)
        func bytes(_ blocks: some BinaryInteger) -> Int {
            let (bytes, overflow) = Int(clamping: blocks).multipliedReportingOverflow(by: unit)
            return overflow ? .max : bytes
        }
        let total = bytes(status.f_blocks)
        // Some virtual file systems have no size.
        return total > 0 ? FileSystemSpace(available: bytes(status.f_bavail), total: total) : nil
    }
}

/// Reserves the last part of a file system for the energy totals. Writing resumes when twice the reserve is free, to
/// avoid flapping.
struct SpaceReserve: Sendable {
    /// The maximum reserve in bytes.
    static let largest = 4 << 20
    /// On a small file system, the reserve is its size divided by this number.
    static let reserveDivisor = 8

    let probe: @Sendable (String) -> FileSystemSpace?
    private(set) var isShort = false

    init(_ probe: @escaping @Sendable (String) -> FileSystemSpace?) {
        self.probe = probe
    }

    /// Whether there is enough space for a write.
    /// - Parameter needed: the maximum size of the write, in bytes.
    mutating func admits(_ needed: Int, to path: String) -> Bool {
        guard let space = probe(path) else { return true }
        let reserve = min(Self.largest, space.total / Self.reserveDivisor)
        isShort = space.available - needed < (isShort ? 2 * reserve : reserve)
        return !isShort
    }
}
