// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPStorage
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Each system call of a store fails once, in every way, on a real directory.
@Suite(.serialized) struct FaultInjectionTests {
    /// The result of running a store with a fault.
    private struct RunResult {
        var opened = false
        /// The last successfully saved state; 0 for none.
        var acknowledged = 0
        /// The last state passed to a save.
        var attempted = 0
        var errors: [EnergyStoreError] = []
    }

    private func configuration(_ directory: TemporaryDirectory) -> FileEnergyStore.Configuration {
        .init(directory: directory.file("data"))
    }

    /// Opens the store and saves states `first...last`, continuing after failures.
    private func saveStates(
        in directory: TemporaryDirectory,
        on fileSystem: any FileSystem,
        saving states: ClosedRange<Int>,
        from acknowledged: Int = 0
    ) async -> RunResult {
        var result = RunResult(acknowledged: acknowledged, attempted: acknowledged)
        do {
            let store = try await FileEnergyStore.open(
                configuration(directory),
                fileSystem: fileSystem,
                logger: .silent
            )
            result.opened = true
            for state in states {
                result.attempted = state
                do {
                    try await store.save(Records.state(state))
                    result.acknowledged = state
                } catch let error as EnergyStoreError {
                    result.errors.append(error)
                }
            }
            await store.close()
        } catch let error as EnergyStoreError {
            result.errors.append(error)
        } catch {
            Issue.record("not the documented error: \(error)")
        }
        return result
    }

    /// Reopens the store without faults and checks that its state is no older than the acknowledged one.
    /// - Parameter mayBeTorn: whether a failed save may have left a partial file.
    private func check(
        _ directory: TemporaryDirectory,
        after result: RunResult,
        mayBeTorn: Bool = false,
        _ comment: Comment
    ) async throws {
        let log = CapturingLogHandler()
        let store = try await FileEnergyStore.open(configuration(directory), logger: log.logger)
        let records = try await store.load()
        let serial = records.isEmpty ? 0 : try #require(Records.serial(of: records), comment)
        #expect((result.acknowledged...result.attempted).contains(serial), comment)
        #expect(log.messages(.warn).count <= (mayBeTorn ? 1 : 0), comment)
        try await store.save(Records.state(99))
        #expect(try await store.load() == Records.state(99), comment)
        await store.close()
        let kept: Set = mayBeTorn ? ["energy.damaged-1.jsonl"] : []
        let expected = kept.union(["energy.a.jsonl", "energy.b.jsonl", "energy.lock"])
        #expect(expected.isSuperset(of: try POSIXFileSystem().names(in: directory.file("data"), limit: 100)), comment)
    }

    /// Injects a fault into the first system call of a run, then the second of another, and so on, in new directories,
    /// until all calls are covered.
    /// - Parameters:
    ///   - isPermanent: whether all later calls fail as well.
    ///   - calls: the minimum number of calls for a valid test.
    ///   - prepare: prepares the directory.
    ///   - run: runs the store with the fault.
    ///   - check: checks the result.
    private func atEachCall<Outcome>(
        _ fault: Fault,
        isPermanent: Bool = false,
        moreThan calls: Int = 30,
        prepare: (TemporaryDirectory) async throws -> Void = { _ in },
        run: (TemporaryDirectory, FaultyFileSystem) async -> Outcome,
        check: (TemporaryDirectory, Outcome, Comment) async throws -> Void
    ) async throws {
        var number = 0
        while true {
            let directory = try TemporaryDirectory()
            try await prepare(directory)
            let fileSystem = FaultyFileSystem(POSIXFileSystem())
            fileSystem.inject(fault, at: number..<(isPermanent ? Int.max : number + 1))
            let outcome = await run(directory, fileSystem)
            guard number < fileSystem.calls.count else { break }
            let span = isPermanent ? "from call \(number) on" : "at call \(number), \(fileSystem.calls[number])"
            try await check(directory, outcome, "\(fault.testDescription) \(span)")
            number += 1
        }
        #expect(number > calls)
    }

    @Test(arguments: Fault.all)
    func oneFailedCallLosesNothing(_ fault: Fault) async throws {
        try await atEachCall(fault) { directory, fileSystem in
            await saveStates(in: directory, on: fileSystem, saving: 1...5)
        } check: { directory, result, comment in
            for error in result.errors {
                #expect(error.message.contains(directory.path), comment)
                #expect(error.code == expectedCode(of: fault), comment)
            }
            // One failed call costs at most one save.
            if result.opened { #expect(result.acknowledged >= 4 && result.errors.count <= 1, comment) }
            try await check(directory, after: result, comment)
        }
    }

    @Test(arguments: Fault.all)
    func oneFailedCallAtARestartLosesNothing(_ fault: Fault) async throws {
        try await atEachCall(fault) { directory in
            _ = await saveStates(in: directory, on: POSIXFileSystem(), saving: 1...2)
        } run: { directory, fileSystem in
            await saveStates(in: directory, on: fileSystem, saving: 3...6, from: 2)
        } check: { directory, result, comment in
            try await check(directory, after: result, comment)
        }
    }

    @Test(arguments: Fault.all)
    func aPermanentDiskFailureLosesNoAcknowledgedState(_ fault: Fault) async throws {
        try await atEachCall(fault, isPermanent: true) { directory, fileSystem in
            await saveStates(in: directory, on: fileSystem, saving: 1...5)
        } check: { directory, result, comment in
            try await check(directory, after: result, mayBeTorn: true, comment)
        }
    }

    @Test(arguments: Fault.all)
    func aFailedCallWhileRenamingADamagedFileLosesNeitherState(_ fault: Fault) async throws {
        try await atEachCall(fault, moreThan: 10) { directory in
            _ = await saveStates(in: directory, on: POSIXFileSystem(), saving: 1...2)
            try directory.write("damage", to: "data/energy.b.jsonl")
        } run: { directory, fileSystem in
            let opened = try? await FileEnergyStore.open(
                configuration(directory),
                fileSystem: fileSystem,
                logger: .silent
            )
            await opened?.close()
        } check: { directory, _, comment in
            let store = try await FileEnergyStore.open(configuration(directory), logger: .silent)
            #expect(try await store.load() == Records.state(1), comment)
            #expect(try directory.text(of: "data/energy.damaged-1.jsonl") == "damage", comment)
        }
    }

    @Test func doesNotRetryAFailedSyncOnTheSameFile() async throws {
        let directory = try TemporaryDirectory()
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await FileEnergyStore.open(
            configuration(directory),
            fileSystem: fileSystem,
            logger: .silent
        )
        let checking = ["fstat", "lstat"]
        let replacing = checking + ["unlink", "open", "fchmod", "write", "fsync"]
        try await store.save(Records.state(1))
        fileSystem.inject(.fails(EIO), at: 6..<7)
        await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(2)) }
        #expect(fileSystem.calls == replacing + ["close", "unlink"])
        #expect(try await store.load() == Records.state(1))
        fileSystem.inject(nil, at: 0..<0)
        try await store.save(Records.state(3))
        #expect(fileSystem.calls.prefix(7) == replacing[...])

        fileSystem.inject(.fails(EIO), at: 5..<6)
        await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(4)) }
        #expect(fileSystem.calls == checking + ["lstat", "open", "write", "fdatasync", "close", "unlink"])
        #expect(try await store.load() == Records.state(3))
        fileSystem.inject(nil, at: 0..<0)
        try await store.save(Records.state(5))
        #expect(fileSystem.calls.prefix(7) == replacing[...])
        #expect(try await store.load() == Records.state(5))
    }

    @Test func reportsAFullDiskAndResumesSaving() async throws {
        let directory = try TemporaryDirectory()
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await FileEnergyStore.open(
            configuration(directory),
            fileSystem: fileSystem,
            logger: .silent
        )
        try await store.save(Records.state(1))
        // The first save writes a new file, later ones overwrite.
        for (fault, write) in [(Fault.fails(ENOSPC), 5), (.fails(EDQUOT), 4), (.writesShort, 4)] {
            if write == 4 { for _ in 0..<2 { try await store.save(Records.state(1)) } }
            fileSystem.inject(fault, at: write..<write + 1)
            let error = await #expect(throws: EnergyStoreError.self) { try await store.save(Records.state(2)) }
            #expect(fileSystem.calls[write] == "write")
            #expect(error?.code == .full)
            #expect(error?.hint == .makeRoom)
            #expect(Records.serial(of: try await store.load()) == 1)
            try await store.save(Records.state(3))
            #expect(try await store.load() == Records.state(3))
        }
    }

    @Test func aPartialWriteIsNotAFailure() async throws {
        let directory = try TemporaryDirectory()
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await FileEnergyStore.open(
            configuration(directory),
            fileSystem: fileSystem,
            logger: .silent
        )
        for state in 1...4 {
            fileSystem.inject(.writesInParts, at: 0..<12)
            try await store.save(Records.state(state))
            #expect(fileSystem.injected > 3)
            #expect(try await store.load() == Records.state(state))
        }
    }

    @Test func leaksNoFileAfterAnyFailure() async throws {
        for fault in Fault.all {
            for number in 0..<65 {
                let memory = MemoryFileSystem()
                let fileSystem = FaultyFileSystem(memory)
                fileSystem.inject(fault, at: number..<number + 1)
                let directory = FileEnergyStore.Configuration(directory: "data")
                if let store = try? await FileEnergyStore.open(directory, fileSystem: fileSystem, logger: .silent) {
                    for state in 1...6 { try? await store.save(Records.state(state)) }
                    await store.close()
                }
                #expect(memory.openCount == 0, "\(fault.testDescription) at call \(number)")
            }
        }
    }

    private func expectedCode(of fault: Fault) -> EnergyStoreError.Code {
        switch fault {
        case .fails(ENOSPC), .fails(EDQUOT), .writesShort: .full
        case .fails(EACCES), .fails(EROFS): .inaccessible
        default: .io
        }
    }
}
