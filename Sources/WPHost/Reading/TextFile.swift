// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The content of another program's file.
package struct TextFile: Sendable, Hashable {
    /// Differs if the content may differ.
    package struct Stamp: Sendable, Hashable {
        let device, inode, size: UInt64
        let modified, changed: [Int]
    }

    /// The maximum file size in bytes.
    package static let maximumSize = 4 << 20
    /// The maximum number of names read from a directory.
    static let maximumNames = 10_000

    package let path: String
    package let stamp: Stamp
    /// The modification time in whole seconds since 1970.
    package let modified: Double
    package let content: [UInt8]

    /// Reads a file; may block. A pipe or a device is rejected without blocking.
    static func read(_ path: String) -> BlockingCall.Outcome {
        let descriptor = KernelText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return .failed(.system(errno)) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failed(.system(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .failed(.malformed) }
        guard (0...maximumSize).contains(Int(status.st_size)) else { return .failed(.tooLong) }
        // One byte more than the file has, to detect its end; a file that grows is read up to its previous size.
        var content = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while count < content.count {
            let received = content.withUnsafeMutableBytes {
                systemRead(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if received == 0 { break }
            if received > 0 {
                count += received
            } else if errno != EINTR {
                return .failed(.system(errno))
            }
        }
        content.removeLast(content.count - min(count, Int(status.st_size)))
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return .text(
            TextFile(
                path: path,
                stamp: Stamp(
                    device: UInt64(truncatingIfNeeded: status.st_dev),
                    inode: UInt64(status.st_ino),
                    size: UInt64(content.count),
                    modified: [Int(modified.tv_sec), Int(modified.tv_nsec)],
                    changed: [Int(changed.tv_sec), Int(changed.tv_nsec)]
                ),
                modified: Double(modified.tv_sec),
                content: content
            )
        )
    }

    /// The sorted names in a directory.
    static func names(in path: String) -> BlockingCall.Outcome {
        var names: [String] = []
        do {
            try FileReader(root: path).forEachName(in: "") { name in
                if names.count < maximumNames { names.append(KernelText.string(name)) }
            }
        } catch {
            return .failed(error.reason)
        }
        return .names(names.sorted())
    }
}
