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
/// the message to whoever comes second. The file stays: removing it would let two processes lock two files.
struct DirectoryLock: Sendable {
    private let fileSystem: any FileSystem
    private let file: OpenFile

    /// Takes the lock.
    /// - Throws: ``EnergyStoreError`` with code `locked` that names the holder's pid.
    init(
        paths: EnergyPaths,
        permissions: UInt16,
        fileSystem: any FileSystem,
        logger: Logger
    ) throws(EnergyStoreError) {
        self.fileSystem = fileSystem
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
            let holder = Self.pid(in: file, fileSystem)
            try? fileSystem.close(file)
            throw EnergyStoreError(
                code: .locked,
                message:
                    "The data directory \(paths.directory) is in use by \(holder.map { "process \($0)" } ?? "another process"). "
                    + "Stop it first, or choose another directory."
            )
        }
        do {
            try fileSystem.setPermissions(file, permissions)
            try fileSystem.truncate(file)
            try fileSystem.writeAll(file, Array("\(getpid())\n".utf8))
        } catch {
            // A full disk must not keep the program from serving; only the second opener's message is poorer.
            logger.warn(
                "The pid could not be written to the lock file",
                ["path": .string(paths.lock), "error": .string(error.reason)]
            )
        }
    }

    /// Gives the lock back.
    ///
    /// Closing the file would not be enough: a child process that this one is just starting has the same file open until
    /// its program begins, and with it the lock.
    func release() {
        try? fileSystem.truncate(file)
        try? fileSystem.unlock(file)
        try? fileSystem.close(file)
    }

    private static func pid(in file: OpenFile, _ fileSystem: any FileSystem) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try? bytes.withUnsafeMutableBytes { buffer in try fileSystem.read(file, into: buffer) }
        let line = bytes.prefix(count ?? 0).prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}
