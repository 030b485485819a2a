// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPTestKit

@testable import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// File systems that reject optional operations, and directories of other owners.
@Suite struct RestrictedFileSystemTests {
    /// A file system that always rejects some calls, like vfat and old CIFS.
    private final class RestrictedFileSystem: FileSystem {
        let base: any FileSystem
        let number: Int32
        let rejected: Set<String>

        init(_ base: any FileSystem, _ number: Int32, _ rejected: Set<String>) {
            self.base = base
            self.number = number
            self.rejected = rejected
        }

        private func check(_ call: String, _ path: String) throws(FileSystemError) {
            if rejected.contains(call) { throw FileSystemError(call: call, path: path, number: number) }
        }

        func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {
            try check("fchmod", file.path)
        }
        func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) {
            try check("fchown", file.path)
            try base.setOwner(file, owner)
        }
        func synchronize(_ file: OpenFile) throws(FileSystemError) {
            try check(file.isDirectory ? "fsync of a directory" : "fsync", file.path)
            try base.synchronize(file)
        }
        var effectiveUser: UInt32 { base.effectiveUser }
        func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile { try base.open(path, mode) }
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
        func synchronizeContent(_ file: OpenFile) throws(FileSystemError) { try base.synchronizeContent(file) }
        func lock(_ file: OpenFile) throws(FileSystemError) -> Bool { try base.lock(file) }
        func unlock(_ file: OpenFile) throws(FileSystemError) { try base.unlock(file) }
        func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
        func link(_ path: String, to newPath: String) throws(FileSystemError) {
            try check("link", path)
            try base.link(path, to: newPath)
        }
        func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
        func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
            try base.createDirectory(path, permissions: permissions)
        }
        func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
            try base.names(in: path, limit: limit)
        }
    }

    private let log = CapturingLogHandler()
    private let service = FileOwner(user: 998, group: 997)

    private func open(_ fileSystem: any FileSystem) async throws -> FileEnergyStore {
        try await FileEnergyStore.open(.init(directory: "data"), fileSystem: fileSystem, logger: log.logger)
    }

    @Test(arguments: [EPERM, EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS], ["fchmod", "fsync of a directory"])
    func toleratesUnsupportedCallsAndLogsThemOnce(_ number: Int32, _ call: String) async throws {
        let memory = MemoryFileSystem()
        let store = try await open(RestrictedFileSystem(memory, number, [call]))
        for state in 1...5 {
            try await store.save(Records.state(state))
            #expect(try await store.load() == Records.state(state))
        }
        await store.close()
        #expect(log.messages(.warn).count == 1)
        #expect(memory.openCount == 0)
    }

    @Test(arguments: [(EIO, "fchmod"), (EROFS, "fchmod"), (EIO, "fsync of a directory"), (EINVAL, "fsync")])
    func failsIfARequiredCallIsRejected(_ number: Int32, _ call: String) async throws {
        let store = try await open(RestrictedFileSystem(MemoryFileSystem(), number, [call]))
        await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(1)) }
    }

    @Test func doesNotSyncAParentWithoutReadPermission() throws {
        let directory = try TemporaryDirectory()
        let restricted = { RestrictedFileSystem(POSIXFileSystem(), $0, ["fsync of a directory"]) }
        try restricted(EACCES).createDirectories(directory.file("a"), permissions: 0o750)
        let error = #expect(throws: FileSystemError.self) {
            try restricted(EIO).createDirectories(directory.file("b"), permissions: 0o750)
        }
        #expect(error?.number == EIO)
    }

    @Test func rejectsANameWithAZeroByte() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a") + "\0b"
        let fileSystem = POSIXFileSystem()
        let errors = [
            #expect(throws: FileSystemError.self) { try fileSystem.open(path, .create) },
            #expect(throws: FileSystemError.self) { try fileSystem.createDirectory(path, permissions: 0o750) },
        ]
        #expect(errors.map { $0?.number } == [EINVAL, EINVAL])
        #expect(try fileSystem.names(in: directory.path, limit: 10) == [])
    }

    @Test(arguments: [OpenMode.create, .overwrite, .readWrite, .append])
    func doesNotWriteThroughASymbolicLink(_ mode: OpenMode) throws {
        let directory = try TemporaryDirectory()
        let (link, target) = (directory.file("link"), try directory.write("x", to: "target"))
        #expect(symlink(target, link) == 0)
        let error = #expect(throws: FileSystemError.self) { try POSIXFileSystem().open(link, mode) }
        #expect(error?.number == (mode == .create ? EEXIST : ELOOP))
    }

    @Test func opensOnlyADirectoryAsOne() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("x", to: "file")
        let fileSystem = POSIXFileSystem()
        let error = #expect(throws: FileSystemError.self) { try fileSystem.open(path, .directory) }
        #expect(error?.number == ENOTDIR)
        let opened = try fileSystem.open(directory.path, .directory)
        #expect(opened.isDirectory)
        try fileSystem.close(opened)
    }

    @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
    func listsNamesUpToALimit(_ limit: Int, _ count: Int) throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "b", "c"] { try directory.write("", to: name) }
        #expect(try POSIXFileSystem().names(in: directory.path, limit: limit).count == count)
    }

    @Test func filesCreatedByRootBelongToTheDirectorysOwner() async throws {
        let memory = MemoryFileSystem(directoryOwner: service, effectiveUser: 0)
        let store = try await open(memory)
        let entry = EnergyAuditEntry(
            time: Date(timeIntervalSince1970: 0),
            action: "set",
            actor: .init(uid: 0, name: "root"),
            key: EnergyKey(device: DeviceID("a")),
            old: nil,
            new: EnergyTotal()
        )
        for state in 1...4 { try await store.amend(Records.state(state), recording: [entry]) }
        await store.close()
        #expect(memory.owners.count == 4)
        #expect(memory.owners.values.allSatisfy { $0 == service })
        #expect(memory.openCount == 0)
        #expect(log.messages(.warn).isEmpty)
    }

    @Test(arguments: [(0, 0), (1000, 998)] as [(UInt32, UInt32)])
    func onlyRootChangesTheOwner(user: UInt32, owner: UInt32) async throws {
        let memory = MemoryFileSystem(directoryOwner: FileOwner(user: owner, group: 7), effectiveUser: user)
        let fileSystem = FaultyFileSystem(memory)
        try await open(fileSystem).save(Records.state(1))
        #expect(!fileSystem.calls.contains("fchown"))
    }

    @Test func toleratesAFileSystemWithoutOwners() async throws {
        let memory = MemoryFileSystem(directoryOwner: service, effectiveUser: 0)
        let store = try await open(RestrictedFileSystem(memory, EPERM, ["fchown"]))
        for state in 1...3 { try await store.save(Records.state(state)) }
        #expect(log.messages(.warn).count == 1)
        let other = MemoryFileSystem(directoryOwner: service, effectiveUser: 0)
        await #expect(throws: EnergyStoreError.self) {
            try await open(RestrictedFileSystem(other, EIO, ["fchown"]))
        }
        #expect(other.openCount == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of files"))
    func realFilesBelongToTheDirectorysOwner() async throws {
        let directory = try TemporaryDirectory()
        #expect(chown(directory.path, service.user, service.group) == 0)
        let store = try await FileEnergyStore.open(.init(directory: directory.path), logger: .silent)
        for state in 1...3 { try await store.save(Records.state(state)) }
        await store.close()
        for name in directory.names {
            let status = try POSIXFileSystem().status(at: directory.file(name))
            #expect(status.owner == service)
        }
        #expect(directory.names.count == 3)
    }
}
