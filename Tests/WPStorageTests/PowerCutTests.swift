// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPLogging
import WPModel
import WPStorage
import WPTestKit

/// The power fails after every system call, with every possible disk content.
@Suite(.serialized) struct PowerCutTests {
    private let configuration = FileEnergyStore.Configuration(directory: "data")

    private func check(_ files: [String: [UInt8]], acknowledged: Int, attempted: Int) async throws -> (
        isNewest: Bool, isTorn: Bool
    ) {
        let log = CapturingLogHandler()
        let store = try await FileEnergyStore.open(
            configuration,
            fileSystem: MemoryFileSystem(files),
            logger: log.logger
        )
        let records = try await store.load()
        let serial = records.isEmpty ? 0 : try #require(Records.serial(of: records))
        await store.close()
        #expect(serial >= acknowledged)
        #expect(serial <= attempted)
        // An interrupted save may look like damage and is renamed.
        let reports = log.messages(.warn)
        #expect(reports.count <= 1 && reports.allSatisfy { $0.contains("set aside") })
        return (serial == attempted, !reports.isEmpty)
    }

    @Test func losesNoAcknowledgedState() async throws {
        // Each run is cut one call later than the previous one.
        var cut = 0
        var checked = 0
        var newer = 0
        var torn = 0
        while true {
            let memory = MemoryFileSystem()
            let fileSystem = FaultyFileSystem(memory)
            let store = try await FileEnergyStore.open(configuration, fileSystem: fileSystem, logger: .silent)
            fileSystem.inject(.fails(5), at: cut..<Int.max)
            var acknowledged = 0
            var attempted = 0
            for state in 1...7 {
                attempted = state
                guard (try? await store.save(Records.state(state))) != nil else { break }
                acknowledged = state
            }
            let isWhole = fileSystem.injected == 0
            for files in memory.afterPowerCut {
                let outcome = try await check(files, acknowledged: acknowledged, attempted: attempted)
                if outcome.isNewest { newer += 1 }
                if outcome.isTorn { torn += 1 }
                checked += 1
            }
            if isWhole { break }
            cut += 1
        }
        #expect(cut == 58)
        #expect(checked > 200)
        #expect(newer > 0)
        #expect(torn > 0)
    }

    /// Tests the test: a store without syncs does not pass.
    @Test func theCheckFindsLossesWithoutSyncs() async throws {
        let memory = MemoryFileSystem()
        var configuration = configuration
        configuration.syncWrites = false
        let store = try await FileEnergyStore.open(configuration, fileSystem: memory, logger: .silent)
        try await store.save(Records.state(1))
        var losses = 0
        for files in memory.afterPowerCut {
            let records = try? await FileEnergyStore.peek(
                self.configuration,
                fileSystem: MemoryFileSystem(files),
                logger: .silent
            )
            if records != Records.state(1) { losses += 1 }
        }
        #expect(losses > 1)
    }
}
