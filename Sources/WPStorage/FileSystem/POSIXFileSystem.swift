// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The operating system's file system.
package struct POSIXFileSystem: FileSystem {
    /// Creates a file system.
    package init() {}

    /// Opens a file or a directory. See `open(2)`.
    ///
    /// Opening a pipe to read does not block, and a file is never created through a symbolic link.
    package func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile {
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY | O_NONBLOCK
            case .create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            case .overwrite: O_WRONLY | O_NOFOLLOW | O_NONBLOCK
            case .readWrite: O_RDWR | O_CREAT | O_NOFOLLOW
            case .append: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
            case .directory: O_RDONLY | O_DIRECTORY
            }
        guard !path.utf8.contains(0) else { throw FileSystemError(call: "open", path: path, number: EINVAL) }
        let descriptor = try Self.retrying("open", path) { libcOpen(path, flags | O_CLOEXEC) }
        return OpenFile(descriptor: descriptor, path: path, isDirectory: mode == .directory)
    }

    /// Closes a file. See `close(2)`, which must not be retried.
    package func close(_ file: OpenFile) throws(FileSystemError) {
        if libcClose(file.descriptor) != 0 && errno != EINTR {
            throw FileSystemError(call: "close", path: file.path, number: errno)
        }
    }

    /// The status of an open file. See `fstat(2)`.
    package func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
        var status = stat()
        _ = try Self.retrying("fstat", file.path) { fstat(file.descriptor, &status) }
        return Self.status(status)
    }

    /// The status of a path. See `lstat(2)`.
    package func status(at path: String) throws(FileSystemError) -> FileStatus {
        var status = stat()
        _ = try Self.retrying("lstat", path) { lstat(path, &status) }
        return Self.status(status)
    }

    private static func status(_ status: stat) -> FileStatus {
        FileStatus(
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            size: Int(status.st_size),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino),
            owner: FileOwner(user: status.st_uid, group: status.st_gid)
        )
    }

    /// Reads from a file. See `read(2)`.
    package func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Self.retrying("read", file.path) { libcRead(file.descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Writes to a file. See `write(2)`.
    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
        try Self.retrying("write", file.path) { libcWrite(file.descriptor, bytes.baseAddress, bytes.count) }
    }

    /// Rewinds a file. See `lseek(2)`.
    package func rewind(_ file: OpenFile) throws(FileSystemError) {
        _ = try Self.retrying("lseek", file.path) { Int(lseek(file.descriptor, 0, SEEK_SET)) }
    }

    /// Truncates a file. See `ftruncate(2)`.
    package func truncate(_ file: OpenFile) throws(FileSystemError) {
        _ = try Self.retrying("ftruncate", file.path) { ftruncate(file.descriptor, 0) }
        _ = try Self.retrying("lseek", file.path) { Int(lseek(file.descriptor, 0, SEEK_SET)) }
    }

    /// Sets a file's permissions. See `fchmod(2)`.
    package func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {
        _ = try Self.retrying("fchmod", file.path) { fchmod(file.descriptor, mode_t(permissions)) }
    }

    /// Changes the owner of a file. See `fchown(2)`.
    package func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) {
        _ = try Self.retrying("fchown", file.path) { fchown(file.descriptor, owner.user, owner.group) }
    }

    /// The effective user ID. See `geteuid(2)`.
    package var effectiveUser: UInt32 { geteuid() }

    /// Syncs a file. See `fsync(2)`; on Darwin `F_FULLFSYNC`, because `fsync` does not flush the drive's cache there.
    package func synchronize(_ file: OpenFile) throws(FileSystemError) {
        #if canImport(Darwin)
        if fcntl(file.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try Self.retrying("fsync", file.path) { fsync(file.descriptor) }
    }

    /// Syncs a file's content. See `fdatasync(2)`; on Darwin the same as ``synchronize(_:)``.
    package func synchronizeContent(_ file: OpenFile) throws(FileSystemError) {
        #if canImport(Darwin)
        try synchronize(file)
        #else
        _ = try Self.retrying("fdatasync", file.path) { fdatasync(file.descriptor) }
        #endif
    }

    /// Locks a file. See `flock(2)`: the lock belongs to the open file description, so that two stores in one process
    /// exclude each other as well.
    package func lock(_ file: OpenFile) throws(FileSystemError) -> Bool {
        do {
            _ = try Self.retrying("flock", file.path) { flock(file.descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.number == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Unlocks a file. See `flock(2)`.
    package func unlock(_ file: OpenFile) throws(FileSystemError) {
        _ = try Self.retrying("flock", file.path) { flock(file.descriptor, LOCK_UN) }
    }

    /// Renames a file. See `rename(2)`.
    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        _ = try Self.retrying("rename", newPath) { libcRename(path, newPath) }
    }

    /// Creates a hard link. See `link(2)`.
    package func link(_ path: String, to newPath: String) throws(FileSystemError) {
        _ = try Self.retrying("link", newPath) { libcLink(path, newPath) }
    }

    /// Removes a file. See `unlink(2)`.
    package func remove(_ path: String) throws(FileSystemError) {
        _ = try Self.retrying("unlink", path) { unlink(path) }
    }

    /// Creates a directory. See `mkdir(2)`.
    package func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
        guard !path.utf8.contains(0) else { throw FileSystemError(call: "mkdir", path: path, number: EINVAL) }
        _ = try Self.retrying("mkdir", path) { mkdir(path, mode_t(permissions)) }
    }

    /// The names in a directory, without `.` and `..`. See `readdir(3)`.
    package func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
        guard let directory = opendir(path) else {
            throw FileSystemError(call: "opendir", path: path, number: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw FileSystemError(call: "readdir", path: path, number: errno) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func retrying<Result: SignedInteger>(
        _ call: String,
        _ path: String,
        _ body: () -> Result
    ) throws(FileSystemError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let number = errno
            guard number == EINTR else { throw FileSystemError(call: call, path: path, number: number) }
        }
    }
}

// The libc functions whose names the methods above shadow.

private func libcOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
private func libcClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func libcRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
private func libcWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
private func libcLink(_ path: String, _ newPath: String) -> Int32 { link(path, newPath) }
private func libcRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
