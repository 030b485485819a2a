// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension FileSystem {
    /// Reads a whole file.
    /// - Parameter limit: the maximum size in bytes.
    /// - Returns: the bytes; nil if there is no such file.
    /// - Throws: `EFBIG` for a file beyond the limit, `EINVAL` if it is not a regular file.
    func readFile(_ path: String, limit: Int) throws(FileSystemError) -> [UInt8]? {
        let file: OpenFile
        do {
            file = try open(path, .read)
        } catch {
            guard error.isAboutMissingFile else { throw error }
            return nil
        }
        defer { try? close(file) }
        let status = try status(of: file)
        guard status.isRegular else { throw FileSystemError(call: "read", path: path, number: EINVAL) }
        guard status.size <= limit else { throw FileSystemError(call: "read", path: path, number: EFBIG) }
        // One extra byte, so that the last read also sees the end of the file.
        var bytes = [UInt8](repeating: 0, count: status.size + 1)
        var count = 0
        while true {
            let read = try bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in
                    try self.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                }
            }.get()
            guard read > 0 else { break }
            count += min(read, bytes.count - count)
            guard count < bytes.count else { throw FileSystemError(call: "read", path: path, number: EFBIG) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Writes a new file and syncs it. Leaves no file behind on failure.
    ///
    /// After a failed sync the kernel may have dropped the pages and call the next sync a success. So nothing is
    /// retried: the file is removed, and the caller writes another one.
    func writeNewFile(
        _ path: String,
        _ bytes: [UInt8],
        permissions: UInt16,
        synchronizing: Bool
    ) throws(FileSystemError) {
        try removeIfPresent(path)
        let file = try open(path, .create)
        do throws(FileSystemError) {
            do throws(FileSystemError) {
                try setPermissions(file, permissions)
                try writeAll(file, bytes)
                if synchronizing { try synchronize(file) }
            } catch {
                try? close(file)
                throw error
            }
            try close(file)
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Writes all bytes, in as many calls as needed.
    func writeAll(_ file: OpenFile, _ bytes: [UInt8]) throws(FileSystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = try bytes.withUnsafeBytes { buffer in
                Result { () throws(FileSystemError) in
                    try write(file, UnsafeRawBufferPointer(rebasing: buffer[offset...]))
                }
            }.get()
            guard written > 0 else { throw FileSystemError(call: "write", path: file.path, number: EIO) }
            offset += written
        }
    }

    /// Removes a file if it exists.
    func removeIfPresent(_ path: String) throws(FileSystemError) {
        do {
            try remove(path)
        } catch {
            guard error.isAboutMissingFile else { throw error }
        }
    }

    /// Syncs a directory.
    func synchronizeDirectory(_ path: String) throws(FileSystemError) {
        let directory = try open(path, .directory)
        defer { try? close(directory) }
        try synchronize(directory)
    }

    /// Creates a directory and its missing parents, with the same permissions.
    func createDirectories(_ path: String, permissions: UInt16) throws(FileSystemError) {
        do {
            try createDirectory(path, permissions: permissions)
        } catch {
            if error.number == EEXIST { return }
            let parent = Self.parent(of: path)
            guard error.isAboutMissingFile, parent != path else { throw error }
            try createDirectories(parent, permissions: permissions)
            try createDirectory(path, permissions: permissions)
        }
        let directory = try open(path, .directory)
        defer { try? close(directory) }
        try setPermissions(directory, permissions)
        do {
            try synchronizeDirectory(Self.parent(of: path))
        } catch {
            // A parent without read permission cannot be opened for syncing.
            guard error.number == EACCES else { throw error }
        }
    }

    /// The parent directory of a path.
    private static func parent(of path: String) -> String {
        var rest = Substring(path)
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }
}
