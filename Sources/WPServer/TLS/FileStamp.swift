// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Identifies a version of a file by its identity, size, modification time and status change time.
struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let node: UInt64
    private let size: Int64
    private let modified: [Int]
    /// Whether it is a regular file.
    let isRegularFile: Bool

    /// Reads the status of a file, following symbolic links; nil if it is unavailable.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        node = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let times = [status.st_mtimespec, status.st_ctimespec]
        #else
        let times = [status.st_mtim, status.st_ctim]
        #endif
        modified = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }
}
