// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads regular files from the file system.
package struct SystemSettingsFileReader: SettingsFileReader {
    /// Creates a reader.
    package init() {}

    /// Always true.
    package var isFileSystem: Bool { true }

    /// Reads a whole regular file; anything else, such as a pipe that might never end, is rejected unread.
    package func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile {
        // Without O_NONBLOCK, opening a pipe without a writer would block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(errno, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw SettingsFileError(
                .notAFile,
                path: path,
                "it is a directory, which a container's mount creates when the file to mount is missing"
            )
        default: throw SettingsFileError(.notAFile, path: path, "it is not a regular file")
        }
        let bytes = try Self.contents(of: descriptor, path, limit: limit)
        return SettingsFile(bytes: bytes, isReadableByAll: status.st_mode & S_IROTH != 0)
    }

    private static func contents(
        of descriptor: Int32,
        _ path: String,
        limit: Int
    ) throws(SettingsFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw error(errno, path)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= limit else {
                throw SettingsFileError(.tooLarge, path: path, "it has more than the \(limit) bytes allowed")
            }
        }
    }

    private static func error(_ number: Int32, _ path: String) -> SettingsFileError {
        if number == ENOENT || number == ENOTDIR {
            return SettingsFileError(.missing, path: path, "no such file")
        }
        return SettingsFileError(.failed, path: path, String(cString: strerror(number)))
    }
}

/// `read(2)`, whose name the method above shadows.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
