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

/// The right to write to a data directory, which one opening of it has at a time.
///
/// The lock is the operating system's and ends with the process, however that dies; the pid in the file only serves
/// the message to the second to open the directory. The file stays: removing it would let two processes lock two files.
///
/// As long as no totals were ever saved, the file's last line is `new`, so that a file without it says that there were
/// some. A file of that kind gets its name when its content is on the disk, and is then only overwritten in place, so that
/// a power cut leaves no empty one.
struct DirectoryLock: Sendable {
    private static let newMark = "new"
    /// The digits of the largest pid, and more.
    private static let pidWidth = 12

    private let fileSystem: any FileSystem
    private let paths: EnergyPaths
    private let permissions: UInt16
    private var file: OpenFile
    private let logger: Logger
    private var isNew: Bool

    /// Whether the lock file of a directory says that totals were saved there. It takes no lock.
    static func recallsTotals(_ paths: EnergyPaths, _ fileSystem: any FileSystem) throws(SystemCallError) -> Bool {
        guard let bytes = try fileSystem.readFile(paths.lock, limit: 4096) else { return false }
        return bytes.split(separator: UInt8(ascii: "\n")).last.map { !$0.elementsEqual(newMark.utf8) } ?? true
    }

    /// Takes the lock.
    /// - Parameters:
    ///   - isNew: whether nothing is known of totals that were ever saved here.
    ///   - synchronizing: whether what is written waits for the disk.
    /// - Throws: ``EnergyStoreError`` with code `locked` that names the holder's pid.
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
        if isNew { Self.makeMarked(paths, synchronizing: synchronizing, fileSystem) }
        file = try Self.take(paths, fileSystem)
        notePid()
    }

    /// Opens and locks the file.
    private static func take(_ paths: EnergyPaths, _ fileSystem: any FileSystem) throws(EnergyStoreError) -> OpenFile {
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

    private func notePid() {
        do {
            try fileSystem.setPermissions(file, permissions)
            try write(pid: getpid())
        } catch {
            // A full disk must not keep the program from serving; only the second opener's message is poorer.
            logger.warn(
                "The pid could not be written to the lock file",
                ["path": .string(paths.lock), "error": .string(error.reason)]
            )
        }
    }

    /// Checks that the locked file is still the one in the directory. If somebody removed or replaced it, takes the lock
    /// of the one there now, because another process could.
    /// - Returns: whether it is the same file.
    /// - Throws: ``EnergyStoreError``: `locked` when another process has done so already.
    mutating func confirm() throws(EnergyStoreError) -> Bool {
        do {
            let own = try fileSystem.status(of: file)
            if try fileSystem.status(at: paths.lock).isSameFile(as: own) { return true }
        } catch {
            guard error.isAboutMissingFile else {
                throw EnergyStoreError(error, while: "The lock file \(paths.lock) could not be checked")
            }
        }
        let taken = try Self.take(paths, fileSystem)
        try? fileSystem.unlock(file)
        try? fileSystem.close(file)
        file = taken
        notePid()
        logger.warn(
            "The lock file of the data directory was removed or replaced; it was created and locked again",
            ["path": .string(paths.lock)]
        )
        return false
    }

    /// Notes that totals were saved.
    mutating func noteTotals() {
        guard isNew else { return }
        isNew = false
        try? write(pid: getpid())
    }

    /// Gives the lock back.
    ///
    /// Closing the file would not be enough: a child process that this one is just starting has the same file open until
    /// its program begins, and with it the lock.
    func release() {
        try? write(pid: nil)
        try? fileSystem.unlock(file)
        try? fileSystem.close(file)
    }

    private func write(pid: Int32?) throws(SystemCallError) {
        if isNew {
            try fileSystem.rewind(file)
            try fileSystem.writeAll(file, Self.marked(pid: pid))
        } else {
            try fileSystem.truncate(file)
            if let pid { try fileSystem.writeAll(file, Array("\(pid)\n".utf8)) }
        }
    }

    /// The content of a new directory's lock file, which always has the same length.
    private static func marked(pid: Int32?) -> [UInt8] {
        let digits = pid.map { "\($0)" } ?? ""
        let padding = String(repeating: " ", count: max(0, pidWidth - digits.utf8.count))
        return Array("\(digits)\(padding)\n\(newMark)\n".utf8)
    }

    /// Makes the lock file of a new directory if there is none. Where that is not possible, opening it does.
    private static func makeMarked(_ paths: EnergyPaths, synchronizing: Bool, _ fileSystem: any FileSystem) {
        do {
            guard try fileSystem.readFile(paths.lock, limit: 4096) == nil else { return }
            try fileSystem.writeNewFile(
                paths.temporaryLock,
                marked(pid: nil),
                permissions: 0o600,
                synchronizing: synchronizing
            )
            // Another process may be as far; a second name is only given where there is none.
            try? fileSystem.link(paths.temporaryLock, to: paths.lock)
            try fileSystem.remove(paths.temporaryLock)
        } catch {
            try? fileSystem.remove(paths.temporaryLock)
        }
    }

    private static func pid(in file: OpenFile, _ fileSystem: any FileSystem) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try? bytes.withUnsafeMutableBytes { buffer in try fileSystem.read(file, into: buffer) }
        let line = bytes.prefix(count ?? 0).prefix { $0 >= UInt8(ascii: "0") }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}
