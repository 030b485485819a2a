// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A system call that may never return: statvfs(3) on a mount whose server is unreachable, or a sysfs file whose driver
/// waits for hardware.
enum BlockingCall: Sendable, Hashable {
    /// Reads a file of at most 4 KiB.
    case read(String)
    /// Reads the space of the file system that contains a path. Mounts of one server hang together.
    case space(String, server: String?)
    /// Reads a complete regular file of at most ``TextFile/maximumSize``.
    case text(String)
    /// Lists a directory.
    case list(String)

    /// The path of the call.
    var path: String {
        switch self {
        case .read(let path), .space(let path, _), .text(let path), .list(let path): path
        }
    }

    /// The group of calls that hang together: the files of one directory, which belong to one device, or the mounts of
    /// one server.
    var group: String {
        switch self {
        case .space(let path, let server): server ?? path
        case .read(let path), .text(let path):
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? path
        case .list(let path): path
        }
    }

    /// Its result.
    enum Outcome: Sendable, Equatable {
        case bytes([UInt8])
        case space(FilesystemSpace)
        case text(TextFile)
        case names([String])
        case failed(HostFault.Reason)
    }

    /// Makes the call, which may block indefinitely.
    func perform() -> Outcome {
        switch self {
        case .read(let path): Self.readFile(path)
        case .space(let path, _): Self.readSpace(path)
        case .text(let path): TextFile.read(path)
        case .list(let path): TextFile.names(in: path)
        }
    }

    private static func readFile(_ path: String) -> Outcome {
        let descriptor = KernelText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return .failed(.system(errno)) }
        defer { _ = close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                let count = systemRead(descriptor, buffer.baseAddress!, buffer.count)
                if count >= 0 { return .bytes([UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))) }
                if errno != EINTR { return .failed(.system(errno)) }
            }
        }
    }

    private static func readSpace(_ path: String) -> Outcome {
        var status = statvfs()
        guard KernelText.withPath(path, { statvfs($0, &status) }) == 0 else { return .failed(.system(errno)) }
        return .space(
            FilesystemSpace(
                blockSize: UInt64(status.f_frsize != 0 ? status.f_frsize : status.f_bsize),
                blocks: UInt64(status.f_blocks),
                freeBlocks: UInt64(status.f_bfree),
                availableBlocks: UInt64(status.f_bavail),
                files: UInt64(status.f_files),
                freeFiles: UInt64(status.f_ffree)
            )
        )
    }
}
