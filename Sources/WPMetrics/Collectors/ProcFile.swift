// SPDX-License-Identifier: MIT

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads files of /proc, whose size the system does not tell.
enum ProcFile {
    /// Far more than a line of each processor and interrupt takes.
    private static let maximumSize = 4 << 20

    /// The text of a file; nil when it cannot be read or is too long.
    static func text(_ path: String) -> String? {
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

    /// The number of descriptors that this process has open; nil when it cannot be read.
    static func countOfOpenDescriptors() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Less the entries "." and "..", and the descriptor that reads the directory.
        return max(0, count - 3)
    }
}
#endif
