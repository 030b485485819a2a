// SPDX-License-Identifier: MIT

import Dispatch
import Testing
import WPHistory
import WPLogging
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Repeatedly kills a process that saves continuously to one file, at random instants.
@Suite(.serialized) struct HistoryKillTests {
    /// The number of kills is a tenth of `STORAGE_KILLS`, which is 1000 in CI.
    private static let rounds: Int = {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["STORAGE_KILLS"].flatMap(Int.init) ?? (environment["CI"] == "true" ? 1000 : 300)
        return max(10, kills / 10)
    }()

    private static let limit = Duration.seconds(300)

    @Test func `a killed writer leaves the last or the previous batch`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("history.db")
        let start = ContinuousClock.now
        var saved = 0
        var rounds = 0
        while rounds < Self.rounds, start.duration(to: .now) < Self.limit {
            rounds += 1
            let waits = Int.random(in: 0..<8) > 0
            let delay = UInt32.random(in: 0...10_000)
            let acknowledgements = Int.random(in: 1...20)
            let output = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            let victim = try Victim("wp-storage-torture", "--history", path)
                            let first = waits ? victim.waitForAcknowledgements(acknowledgements) : []
                            return first + victim.kill(afterMicroseconds: delay)
                        }
                    )
                }
            }
            let lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            let acknowledged = lines.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? saved
            let log = CapturingLogHandler()
            let store = try await SQLiteHistoryStore.open(.init(path: path), logger: log.logger)
            let states = try await store.subjects()
            let found = states.first.map { Int($0.lastSample) } ?? 0
            #expect(found == acknowledged || found == acknowledged + 1)
            #expect(states.allSatisfy { Int($0.lastSample) == found })
            #expect(found == 0 || states.count == 20)
            for state in states {
                let buckets = try await store.buckets(of: state.subject, from: 0, to: .max, step: 1)
                #expect(buckets.map(\.start) == (1...found).map { Int64($0) * 300 })
                #expect(buckets.last?[.load1]?.average == Double(found))
            }
            await store.close()
            #expect(log.messages(.error).isEmpty)
            saved = found
        }
        print("killed \(rounds) times in \(saved) batches")
        #expect(rounds == Self.rounds, "the time limit was reached")
        #expect(saved > rounds)
    }
}
