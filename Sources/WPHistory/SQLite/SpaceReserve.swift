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
    /// What a user without privileges may still use.
    package var available: Int
    package var total: Int

    package init(available: Int, total: Int) {
        self.available = available
        self.total = total
    }

    /// The space where a file is; nil when it is not known.
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

/// Leaves the last part of a file system to the energy totals: the history stops first. It is written again when twice the
/// reserve is free, so that it does not start and stop with each write.
struct SpaceReserve: Sendable {
    /// The most that is left free, in bytes.
    static let largest = 4 << 20
    /// The share of a small file system that is left free.
    static let share = 8

    let probe: @Sendable (String) -> FileSystemSpace?
    private(set) var isShort = false

    init(_ probe: @escaping @Sendable (String) -> FileSystemSpace?) {
        self.probe = probe
    }

    /// Whether there is room for a write.
    /// - Parameter needed: what it may take, in bytes.
    mutating func admits(_ needed: Int, to path: String) -> Bool {
        guard let space = probe(path) else { return true }
        let reserve = min(Self.largest, space.total / Self.share)
        isShort = space.available - needed < (isShort ? 2 * reserve : reserve)
        return !isShort
    }
}
