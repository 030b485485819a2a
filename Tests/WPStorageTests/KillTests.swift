// SPDX-License-Identifier: MIT

import Dispatch
import Testing
import WPLogging
import WPModel
import WPStorage
import WPTestKit
import WPTestSupport

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

/// A process that saves continuously is killed repeatedly at random instants.
@Suite(.serialized) struct KillTests {
    /// `STORAGE_KILLS` is the number of kills: 1000 in CI, 200 by default.
    private static let rounds: Int = {
        let environment = ProcessInfo.processInfo.environment
        return environment["STORAGE_KILLS"].flatMap(Int.init) ?? (environment["CI"] == "true" ? 1000 : 200)
    }()
    /// A round takes 0.14 s; more on a busy machine.
    private static let limit: Duration = .seconds(max(60, rounds))

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var configuration: FileEnergyStore.Configuration { .init(directory: directory.path) }

    /// Runs blocking work on a separate thread.
    private func blocking<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    /// The serial number of the state; nil if the records are mixed.
    private func number(of records: [EnergyRecord], devices: Int) -> Int? {
        guard !records.isEmpty else { return 0 }
        let numbers = Set(records.map(\.total.joules))
        return records.count == devices && numbers.count == 1 ? numbers.first.map { Int($0) } : nil
    }

    /// The number in the last complete line.
    private func lastNumber(in output: [UInt8]) -> Int? {
        let lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    @Test func aProcessKilledAtAnyInstantLosesNoAcknowledgedState() async throws {
        let devices = 200
        let path = directory.path
        let start = ContinuousClock.now
        var generator = SystemRandomNumberGenerator()
        var saved = 0
        var unacknowledged = 0
        var torn = 0
        var rounds = 0
        while rounds < Self.rounds, start.duration(to: .now) < Self.limit {
            rounds += 1
            // One in eight is killed during startup.
            let waits = Int.random(in: 0..<8, using: &generator) > 0
            let delay = UInt32.random(in: 0...(waits ? 3000 : 15_000), using: &generator)
            // The first two saves of a process write new files; later ones overwrite.
            let acknowledgements = Int.random(in: 1...6, using: &generator)
            let output = try await blocking {
                let victim = try Victim("wp-storage-torture", path, String(devices))
                let first = waits ? victim.waitForAcknowledgements(acknowledgements) : []
                return first + victim.kill(afterMicroseconds: delay)
            }
            let acknowledged = lastNumber(in: output) ?? saved
            let log = CapturingLogHandler()
            let store = try await FileEnergyStore.open(configuration, logger: log.logger)
            let found = try #require(number(of: try await store.load(), devices: devices))
            await store.close()
            #expect(found == acknowledged || found == acknowledged + 1)
            if found > acknowledged { unacknowledged += 1 }
            // An interrupted save may leave a partial file; the other one is complete.
            let damaged = directory.names.filter { $0.hasPrefix("energy.damaged-") }
            #expect(log.messages(.warn).count == damaged.count && damaged.count <= 1)
            for name in damaged { #expect(unlink(directory.file(name)) == 0) }
            torn += damaged.count
            #expect(Set(directory.names).isSubset(of: ["energy.a.jsonl", "energy.b.jsonl", "energy.lock"]))
            saved = found
        }
        print(
            "killed \(rounds) times in \(saved) saves, \(unacknowledged) saved but not acknowledged, \(torn) partial"
        )
        #expect(rounds == Self.rounds, "the time limit was reached")
        #expect(saved > rounds / 2)
    }

    @Test func aConcurrentReaderAlwaysSeesACompleteState() async throws {
        let devices = 200
        let path = directory.path
        let victim = try await blocking { try Victim("wp-storage-torture", path, String(devices)) }
        _ = try await blocking { victim.waitForAcknowledgements(1) }
        let start = ContinuousClock.now
        var last = 0
        while last < 20, start.duration(to: .now) < .seconds(30) {
            let records = try await FileEnergyStore.peek(configuration, logger: .silent)
            let found = try #require(number(of: records, devices: devices))
            #expect(found >= last)
            last = found
        }
        #expect(last >= 20)
        _ = try await blocking { victim.kill(afterMicroseconds: 0) }
    }

    @Test func onlyOneProcessHoldsTheDirectory() async throws {
        let path = directory.path
        let victim = try await blocking { try Victim("wp-storage-torture", path, "1") }
        let first = try await blocking { victim.waitForAcknowledgements(1) }
        #expect(!first.isEmpty)
        let error = await #expect(throws: EnergyStoreError.self) {
            try await FileEnergyStore.open(configuration, logger: .silent)
        }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("process \(victim.pid).") == true)
        _ = try await blocking { victim.kill(afterMicroseconds: 0) }
        let store = try await FileEnergyStore.open(configuration, logger: .silent)
        await store.close()
    }
}
