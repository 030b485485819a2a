// SPDX-License-Identifier: MIT

import Synchronization
import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file system for data directories: tolerates operations that some file systems reject, and gives new files to the
/// directory's owner.
///
/// vfat and SMB reject permissions, old CIFS rejects syncing a directory; both are logged once. When an administrator
/// changes a service's directory, new files must stay readable to the service.
final class DataDirectoryFileSystem: FileSystem {
    private struct State {
        var owner: FileOwner?
        var unsupported: Set<String> = []
    }

    private let base: any FileSystem
    private let logger: Logger
    private let state = Mutex(State())

    init(_ base: any FileSystem, logger: Logger) {
        self.base = base
        self.logger = logger
    }

    /// Gives new files to the owner of the directory, if this process is root and not the owner.
    func keepOwner(of directory: String) throws(FileSystemError) {
        guard base.effectiveUser == 0 else { return }
        let file = try base.open(directory, .directory)
        defer { try? base.close(file) }
        let owner = try base.status(of: file).owner
        if owner.user != 0 { state.withLock { $0.owner = owner } }
    }

    var effectiveUser: UInt32 { base.effectiveUser }

    func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile {
        let file = try base.open(path, mode)
        guard mode.mayCreate, let owner = state.withLock({ $0.owner }) else { return file }
        do {
            if try base.status(of: file).owner != owner {
                try tolerating("giving a file to the directory's owner", file) { () throws(FileSystemError) in
                    try base.setOwner(file, owner)
                }
            }
        } catch {
            try? base.close(file)
            throw error
        }
        return file
    }

    func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {
        try tolerating("setting permissions", file) { () throws(FileSystemError) in
            try base.setPermissions(file, permissions)
        }
    }

    func synchronize(_ file: OpenFile) throws(FileSystemError) {
        guard file.isDirectory else { return try base.synchronize(file) }
        try tolerating("synchronizing a directory", file) { () throws(FileSystemError) in try base.synchronize(file) }
    }

    /// Tolerates an unsupported call, and logs the first one.
    private func tolerating(
        _ what: String,
        _ file: OpenFile,
        _ call: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        do {
            try call()
        } catch {
            guard [EPERM, EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(error.number) else { throw error }
            guard state.withLock({ $0.unsupported.insert(what).inserted }) else { return }
            logger.warn(
                "The file system of the data directory rejects an operation; continuing without it",
                ["refused": .string(what), "path": .string(file.path), "error": .string(error.reason)]
            )
        }
    }

    // MARK: Forwarded unchanged

    func close(_ file: OpenFile) throws(FileSystemError) { try base.close(file) }
    func status(of file: OpenFile) throws(FileSystemError) -> FileStatus { try base.status(of: file) }
    func status(at path: String) throws(FileSystemError) -> FileStatus { try base.status(at: path) }
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try base.read(file, into: buffer)
    }
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
        try base.write(file, bytes)
    }
    func rewind(_ file: OpenFile) throws(FileSystemError) { try base.rewind(file) }
    func truncate(_ file: OpenFile) throws(FileSystemError) { try base.truncate(file) }
    func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) { try base.setOwner(file, owner) }
    func synchronizeContent(_ file: OpenFile) throws(FileSystemError) { try base.synchronizeContent(file) }
    func lock(_ file: OpenFile) throws(FileSystemError) -> Bool { try base.lock(file) }
    func unlock(_ file: OpenFile) throws(FileSystemError) { try base.unlock(file) }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
    func link(_ path: String, to newPath: String) throws(FileSystemError) { try base.link(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
        try base.createDirectory(path, permissions: permissions)
    }
    func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
        try base.names(in: path, limit: limit)
    }
}
