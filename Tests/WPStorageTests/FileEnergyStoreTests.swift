// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
@testable import WPStorage
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct FileEnergyStoreTests {
    private let directory: TemporaryDirectory
    private let log = CapturingLogHandler()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ path: String? = nil, fileSystem: any FileSystem = POSIXFileSystem()) async throws
        -> FileEnergyStore
    {
        try await FileEnergyStore.open(
            .init(directory: path ?? directory.path),
            fileSystem: fileSystem,
            logger: log.logger
        )
    }

    private func permissions(_ path: String) -> UInt16? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt16(status.st_mode & 0o7777) : nil
    }

    @Test func savedRecordsSurviveARestart() async throws {
        var store = try await open()
        try await store.save(Records.state(1))
        try await store.save(Records.state(2))
        await store.close()
        store = try await open()
        #expect(try await store.load() == Records.state(2))
        #expect(log.messages(.warn).isEmpty)
        #expect(log.messages(.info) == ["There are no energy totals yet"])
    }

    @Test func theGenerationContinuesAcrossRestartsAndDamage() async throws {
        for round in 0..<3 {
            let store = try await open()
            for _ in 0..<2 { try await store.save(Records.state(1)) }
            await store.close()
            let state = try StateFile(decoding: try directory.bytes(of: "energy.b.jsonl"))
            #expect(state.generation == (round + 1) * 2)
        }
        try directory.write("damage", to: "energy.b.jsonl")
        let store = try await open()
        try await store.save(Records.state(1))
        #expect(try StateFile(decoding: try directory.bytes(of: "energy.b.jsonl")).generation == 6)
    }

    @Test func theDirectoryHasAFixedSetOfFiles() async throws {
        let store = try await open()
        for serial in 0..<50 { try await store.save(Records.state(serial)) }
        #expect(directory.names == ["energy.a.jsonl", "energy.b.jsonl", "energy.lock"])
    }

    @Test(arguments: [1, 10, 1000])
    func aSaveNeedsOneSyncForAnyNumberOfDevices(_ devices: Int) async throws {
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await open(fileSystem: fileSystem)
        // Whether the lock file is still the locked one.
        let checking = ["fstat", "lstat"]
        for state in 1...2 {
            fileSystem.inject(nil, at: 0..<0)
            try await store.save(Records.state(state, devices: devices))
            let writing = ["unlink", "open", "fchmod", "write", "fsync", "close", "rename"]
            // The first save is recorded in the lock file.
            let recording = state == 1 ? ["ftruncate", "write"] : []
            #expect(fileSystem.calls == checking + writing + ["open", "fsync", "close", "lstat"] + recording)
        }
        for state in 3...20 {
            fileSystem.inject(nil, at: 0..<0)
            try await store.save(Records.state(state, devices: devices))
            let opening = state <= 4 ? ["lstat", "open"] : ["lstat", "lseek"]
            #expect(fileSystem.calls == checking + opening + ["write", "fdatasync"])
        }
    }

    @Test func syncsNothingIfSyncingIsDisabled() async throws {
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await FileEnergyStore.open(
            .init(directory: directory.path, syncWrites: false),
            fileSystem: fileSystem,
            logger: .silent
        )
        for state in 1...4 { try await store.save(Records.state(state)) }
        #expect(!fileSystem.calls.contains("fsync") && !fileSystem.calls.contains("fdatasync"))
        #expect(try await store.load() == Records.state(4))
    }

    @Test func savesAStateThatOutgrowsItsFileOrShrinks() async throws {
        var store = try await open()
        for devices in [1, 1, 1, 500, 500, 500, 3, 3, 3, 0, 0, 2000, 1, 2000] {
            try await store.save(Records.state(devices, devices: devices))
            #expect(try await store.load() == Records.state(devices, devices: devices))
        }
        await store.close()
        store = try await open()
        #expect(try await store.load() == Records.state(2000, devices: 2000))
        #expect(directory.names == ["energy.a.jsonl", "energy.b.jsonl", "energy.lock"])
    }

    /// Manual changes to the files do not make a save fail.
    @Test(arguments: ["removed", "moved", "replaced", "cut", "linked", "a directory"], [2, 4])
    func rewritesAFileThatChanged(_ what: String, after saves: Int) async throws {
        let store = try await open()
        for state in 1...saves { try await store.save(Records.state(state)) }
        let path = directory.file("energy.a.jsonl")
        try directory.write("mine", to: "other")
        switch what {
        case "removed": #expect(unlink(path) == 0)
        case "moved": #expect(rename(path, directory.file("moved")) == 0)
        case "replaced": #expect(rename(directory.file("energy.b.jsonl"), path) == 0)
        case "cut": #expect(truncate(path, 10) == 0)
        case "linked":
            #expect(unlink(path) == 0)
            #expect(symlink(directory.file("other"), path) == 0)
        default:
            #expect(unlink(path) == 0)
            #expect(mkdir(path, 0o700) == 0)
            let error = await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(saves + 1)) }
            #expect(error?.code == .inaccessible)
            #expect(rmdir(path) == 0)
        }
        let moved = try? directory.bytes(of: "moved")
        for state in saves + 1...saves + 3 {
            try await store.save(Records.state(state))
            #expect(try await store.load() == Records.state(state))
        }
        #expect(try directory.text(of: "other") == "mine")
        #expect(try moved == (moved == nil ? nil : directory.bytes(of: "moved")))
    }

    @Test func createsDirectoriesWithTheirPermissionsRegardlessOfTheUmask() async throws {
        let path = directory.file("a/b/data/")
        let store = try await open(path)
        try await store.save(Records.state(1))
        #expect(permissions(directory.file("a")) == 0o750)
        #expect(permissions(directory.file("a/b/data")) == 0o750)
        #expect(permissions(directory.file("a/b/data/energy.a.jsonl")) == 0o644)
        #expect(permissions(directory.file("a/b/data/energy.lock")) == 0o644)
    }

    @Test(arguments: [0o600, 0o640, 0o666] as [UInt16])
    func filesHaveTheConfiguredPermissions(_ wanted: UInt16) async throws {
        let store = try await FileEnergyStore.open(
            .init(directory: directory.path, filePermissions: wanted),
            logger: .silent
        )
        try await store.save(Records.state(1))
        try await store.save(Records.state(2))
        for name in directory.names { #expect(permissions(directory.file(name)) == wanted) }
    }

    @Test func anExistingDirectoryKeepsItsPermissions() async throws {
        #expect(chmod(directory.path, 0o711) == 0)
        _ = try await open()
        #expect(permissions(directory.path) == 0o711)
    }

    @Test(arguments: ["file", "file/below", "nul\u{0}byte"])
    func rejectsAPathThatCannotBeADirectory(_ name: String) async throws {
        try directory.write("", to: "file")
        let error = await #expect(throws: EnergyStoreError.self) { try await open(directory.file(name)) }
        #expect(error?.code == .inaccessible)
        #expect(error?.message.contains(directory.path) == true)
    }

    @Test func deviceIdentifiersNeverBecomePaths() async throws {
        let inner = directory.file("data")
        let store = try await open(inner)
        let records = ["../escape", "/tmp/escape", "energy.jsonl", "a/../../b"].map {
            EnergyRecord(key: EnergyKey(device: DeviceID($0)), total: EnergyTotal())
        }
        try await store.save(records)
        await store.close()
        #expect(try await open(inner).load() == records)
        #expect(directory.names == ["data"])
    }

    // MARK: The lock

    @Test func reportsThePIDOfTheHolder() async throws {
        let first = try await open()
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .locked)
        #expect(error?.hint == .stopOtherProcess)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(error?.message.contains(directory.path) == true)
        try await first.save(Records.state(1))
        await first.close()
        #expect(try await open().load() == Records.state(1))
    }

    @Test(arguments: [
        ("1234567890\n", "in use by process 1234567890."), ("7\nnew\n", "in use by process 7."),
        ("", "in use by another process."), ("nobody\n", "in use by another process."),
    ])
    func reportsWhatTheLockFileContains(_ content: String, _ message: String) async throws {
        let store = try await open()
        try directory.write(content, to: "energy.lock")
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
        await store.close()
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func limitsTheSizeOfTheLockFile(_ size: Int, _ isAccepted: Bool) async throws {
        try directory.write(String(repeating: "x", count: size), to: "energy.lock")
        guard isAccepted else {
            await #expect(throws: EnergyStoreError.self) { try await open() }
            return
        }
        await (try await open()).close()
    }

    @Test func ignoresTheLockFileOfADeadProcess() async throws {
        try directory.write("99999999999\n", to: "energy.lock")
        let store = try await open()
        #expect(try directory.text(of: "energy.lock") == "\(getpid())\n")
        await store.close()
        #expect(try directory.text(of: "energy.lock") == "")
    }

    @Test func locksAgainWhenTheLockFileWasRemoved() async throws {
        let store = try await open()
        try await store.save(Records.state(1))
        #expect(unlink(directory.file("energy.lock")) == 0)
        try await store.save(Records.state(2))
        #expect(directory.names.contains("energy.lock"))
        // No other process has saved.
        #expect(
            log.messages(.warn) == [
                "The lock file of the data directory was removed or replaced; it was created and locked again"
            ]
        )
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .locked)
        await store.close()
    }

    @Test func stopsWritingAfterAnotherProcessTookOver() async throws {
        let first = try await open()
        try await first.save(Records.state(1))
        #expect(unlink(directory.file("energy.lock")) == 0)
        let second = try await open()
        for serial in 2...4 { try await second.save(Records.state(serial)) }
        let error = await #expect(throws: EnergyStoreError.self) { try await first.save(Records.state(9)) }
        #expect(error?.code == .locked)
        await second.close()
        let configuration = FileEnergyStore.Configuration(directory: directory.path)
        #expect(try await FileEnergyStore.peek(configuration, logger: .silent) == Records.state(4))
        // After the other process ends, this process's state is the newest.
        try await first.save(Records.state(9))
        #expect(try await FileEnergyStore.peek(configuration, logger: .silent) == Records.state(9))
        await first.close()
        #expect(try await open().load() == Records.state(9))
    }

    @Test func aReleasedStoreUnlocksTheDirectory() async throws {
        do { _ = try await open() }
        _ = try await open()
    }

    @Test func aFailedOpenUnlocksTheDirectory() async throws {
        try directory.write("nonsense", to: "energy.a.jsonl")
        for _ in 0..<2 {
            let error = await #expect(throws: EnergyStoreError.self) { try await open() }
            #expect(error?.code == .damaged)
        }
    }

    @Test func aClosedStoreSavesNothing() async throws {
        let store = try await open()
        try await store.save(Records.state(1))
        await store.close()
        await store.close()
        let error = await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(2)) }
        #expect(error?.message.contains("closed") == true)
        #expect(try await store.load() == Records.state(1))
    }

    @Test func peekingNeedsNoLockAndChangesNothing() async throws {
        let store = try await open()
        try await store.save(Records.state(1))
        let names = directory.names
        let configuration = FileEnergyStore.Configuration(directory: directory.path)
        #expect(try await FileEnergyStore.peek(configuration, logger: .silent) == Records.state(1))
        #expect(directory.names == names)
        try await store.save(Records.state(2))
        let missing = FileEnergyStore.Configuration(directory: directory.file("missing"))
        #expect(try await FileEnergyStore.peek(missing, logger: .silent) == [])
        #expect(directory.names == ["energy.a.jsonl", "energy.b.jsonl", "energy.lock"])
    }
}
