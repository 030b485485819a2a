// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The exclusive lock of a data directory.
///
/// The operating system releases the lock when the process ends; the PID in the file is only for error messages of
/// other processes. The file is never removed: otherwise two processes could lock different files.
///
/// Until totals are saved, the file's last line is `new`; a file without it shows that totals existed. A file with
/// `new` is linked to its name after its content is on disk, and then only overwritten in place, so that a power
/// failure leaves no empty file.
struct DirectoryLock: Sendable {
    private static let newMark = "new"
    /// More than the digits of the largest PID.
    private static let pidWidth = 12

    private let fileSystem: any FileSystem
    private let paths: EnergyPaths
    private let permissions: UInt16
    private var file: OpenFile
    private let logger: Logger
    private var isNew: Bool

    /// Whether the lock file shows that totals were saved in the directory. Takes no lock.
    static func hadTotals(_ paths: EnergyPaths, _ fileSystem: any FileSystem) throws(FileSystemError) -> Bool {
        guard let bytes = try fileSystem.readFile(paths.lock, limit: 4096) else { return false }
        return bytes.split(separator: UInt8(ascii: "\n")).last.map { !$0.elementsEqual(newMark.utf8) } ?? true
    }

    /// Acquires the lock.
    /// - Parameters:
    ///   - isNew: whether there is no evidence of saved totals.
    ///   - synchronizing: whether to sync writes to disk.
    /// - Throws: ``EnergyStoreError`` with code `locked` and the holder's PID.
    init(
        paths: EnergyPaths,
        permissions: UInt16,
        isNew: Bool,
        synchronizing: Bool,
        fileSystem: any FileSystem,
        logger: Logger
    ) throws(EnergyStoreError) {
        self.fileSystem = fileSystem
        self.paths = paths
        self.permissions = permissions
        self.isNew = isNew
        self.logger = logger
        if isNew { Self.createMarkedFile(paths, synchronizing: synchronizing, fileSystem) }
        file = try Self.acquire(paths, fileSystem)
        writePid()
    }

    /// Opens and locks the file.
    private static func acquire(
        _ paths: EnergyPaths,
        _ fileSystem: any FileSystem
    ) throws(EnergyStoreError) -> OpenFile {
        let file: OpenFile
        do {
            file = try fileSystem.open(paths.lock, .readWrite)
        } catch {
            throw EnergyStoreError(error, while: "The lock file \(paths.lock) could not be opened")
        }
        let isTaken: Bool
        do {
            isTaken = try fileSystem.lock(file)
        } catch {
            try? fileSystem.close(file)
            throw EnergyStoreError(error, while: "The lock file \(paths.lock) could not be locked")
        }
        guard isTaken else {
            let holder = pid(in: file, fileSystem)
            try? fileSystem.close(file)
            throw EnergyStoreError(
                code: .locked,
                message: "The data directory \(paths.directory) is in use by "
                    + "\(holder.map { "process \($0)" } ?? "another process").",
                hint: .stopOtherProcess
            )
        }
        return file
    }

    private func writePid() {
        do {
            try fileSystem.setPermissions(file, permissions)
            try write(pid: getpid())
        } catch {
            // A full disk must not stop the program; without the PID, only error messages of other processes are less
            // specific.
            logger.warn(
                "The PID could not be written to the lock file",
                ["path": .string(paths.lock), "error": .string(error.reason)]
            )
        }
    }

    /// Checks that the locked file is still in the directory. If it was removed or replaced, locks the current one.
    /// - Returns: whether it is the same file.
    /// - Throws: ``EnergyStoreError``: `locked` if another process has already locked it.
    mutating func confirm() throws(EnergyStoreError) -> Bool {
        do {
            let own = try fileSystem.status(of: file)
            if try fileSystem.status(at: paths.lock).isSameFile(as: own) { return true }
        } catch {
            guard error.isAboutMissingFile else {
                throw EnergyStoreError(error, while: "The lock file \(paths.lock) could not be checked")
            }
        }
        let acquired = try Self.acquire(paths, fileSystem)
        try? fileSystem.unlock(file)
        try? fileSystem.close(file)
        file = acquired
        writePid()
        logger.warn(
            "The lock file of the data directory was removed or replaced; it was created and locked again",
            ["path": .string(paths.lock)]
        )
        return false
    }

    /// Records that totals were saved.
    mutating func recordTotals() {
        guard isNew else { return }
        isNew = false
        // lint: the PID is informational; the lock does not depend on it
        try? write(pid: getpid())
    }

    /// Releases the lock.
    ///
    /// Closing the file is not enough: a child process that is being started keeps the file open until exec, and thus
    /// the lock.
    func release() {
        // lint: the PID is informational; the lock does not depend on it
        try? write(pid: nil)
        try? fileSystem.unlock(file)
        try? fileSystem.close(file)
    }

    private func write(pid: Int32?) throws(FileSystemError) {
        if isNew {
            try fileSystem.rewind(file)
            try fileSystem.writeAll(file, Self.markedContent(pid: pid))
        } else {
            try fileSystem.truncate(file)
            if let pid { try fileSystem.writeAll(file, Array("\(pid)\n".utf8)) }
        }
    }

    /// The content of a new directory's lock file, which always has the same length.
    private static func markedContent(pid: Int32?) -> [UInt8] {
        let digits = pid.map { "\($0)" } ?? ""
        let padding = String(repeating: " ", count: max(0, pidWidth - digits.utf8.count))
        return Array("\(digits)\(padding)\n\(newMark)\n".utf8)
    }

    /// Creates the lock file of a new directory if it is missing. If that fails, the file is created when it is opened.
    private static func createMarkedFile(_ paths: EnergyPaths, synchronizing: Bool, _ fileSystem: any FileSystem) {
        do {
            guard try fileSystem.readFile(paths.lock, limit: 4096) == nil else { return }
            try fileSystem.writeNewFile(
                paths.temporaryLock,
                markedContent(pid: nil),
                permissions: 0o600,
                synchronizing: synchronizing
            )
            // lint: another process may do the same; link(2) fails if the name exists
            try? fileSystem.link(paths.temporaryLock, to: paths.lock)
            try fileSystem.remove(paths.temporaryLock)
        } catch {
            try? fileSystem.remove(paths.temporaryLock)
        }
    }

    private static func pid(in file: OpenFile, _ fileSystem: any FileSystem) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        // lint: the PID is informational
        let count = try? bytes.withUnsafeMutableBytes { buffer in try fileSystem.read(file, into: buffer) }
        let line = bytes.prefix(count ?? 0).prefix { $0 >= UInt8(ascii: "0") }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}
