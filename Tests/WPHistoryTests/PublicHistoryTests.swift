// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHistory
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A history as another program opens it.
@Suite struct PublicHistoryTests {
    private let clock = TestClock(wall: Date(timeIntervalSince1970: 1_000_000_200))
    private let rack = HistorySubject(kind: .ups, name: "rack-1")

    private func record(_ watts: Double, at offset: Double, in history: History) -> History.Outcome {
        history.record(
            History.Sample(
                subject: rack,
                time: 1_000_000_200 + offset,
                values: [(.loadWatts, watts)],
                counters: [(.energy, 100 + offset)]
            )
        )
    }

    @Test func keepsSamplesInADirectory() async throws {
        let directory = try TemporaryDirectory()
        let history = try await History.open(.directory(directory.path), timeSource: clock)
        #expect(record(400, at: 0, in: history) == .recorded)
        #expect(record(400, at: 0, in: history) == .duplicate)
        #expect(record(500, at: 10, in: history) == .recorded)
        await #expect(throws: HistoryStoreError.self) {
            _ = try await History.open(.directory(directory.path), timeSource: clock)
        }
        await history.close()
        let reopened = try await History.open(.directory(directory.path), timeSource: clock)
        #expect(reopened.subjects == [rack])
        let buckets = try await reopened.buckets(of: rack, from: 1_000_000_200, to: 1_000_003_800, step: 3600)
        #expect(buckets.map(\.samples) == [2])
        #expect(buckets.first?[.loadWatts]?.average == 450)
        #expect(buckets.first?[.energy]?.average == 10)
        #expect(try await reopened.remove(rack))
        #expect(reopened.subjects.isEmpty)
        await reopened.close()
    }

    @Test func keepsSamplesInMemory() async throws {
        let history = try await History.open(
            .memory,
            configuration: History.Configuration(interval: .seconds(60), maxSubjects: 1),
            timeSource: clock
        )
        #expect(record(400, at: 0, in: history) == .recorded)
        let other = History.Sample(subject: HistorySubject(kind: .node, name: "web-1"), time: 1_000_000_200)
        #expect(history.record(other) == .refused)
        await history.saveAll()
        #expect(history.status.pendingBuckets == 0 && history.status.failure == nil)
        #expect(try await history.buckets(of: rack, from: 1_000_000_200, to: 1_000_000_260).map(\.seconds) == [60])
    }

    @Test func reportsALocationThatCannotBeOpened() async throws {
        let directory = try TemporaryDirectory()
        await #expect(throws: HistoryStoreError.self) {
            _ = try await History.open(.directory(directory.file("missing")), timeSource: clock)
        }
        await #expect(throws: HistoryStoreError.self) {
            _ = try await History.open(.database(Secret("no address")), timeSource: clock)
        }
    }
}
