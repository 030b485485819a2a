// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPHistory
import WPLogging
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Histories of every store with a wrong wall clock, at the start or later. The monotonic clock is correct.
@Suite(.withPostgres, .serialized) struct WrongClockTests {
    static let steps: [Double] = [3600, -3600, 8 * 3600, 40 * 86_400, -40 * 86_400, 1095 * 86_400]
    static let year1970 = -1_750_000_000.0

    let clock = TestClock()
    let log = MemoryLogHandler()

    private func with(
        _ kind: HistoryStoreKind,
        _ test: (_ open: () async throws -> any HistoryStore) async throws -> Void
    ) async throws {
        switch kind {
        case .memory:
            let store = MemoryHistoryStore()
            try await test { store }
        case .sqlite:
            let directory = try TemporaryDirectory()
            let path = directory.file("history.db")
            try await test {
                try await SQLiteHistoryStore.open(.init(path: path, syncWrites: false), logger: .silent)
            }
        case .postgres:
            let url = try #require(PostgresServer.current).database()
            try await test { try PostgresHistoryStore.open(url, logger: .silent) }
        }
    }

    private func history(_ store: any HistoryStore) async throws -> History {
        try await History(store, timeSource: clock.timeSource, logger: log.logger)
    }

    /// Collects every five minutes, with one more watt-hour each time.
    private func collect(_ count: Int, _ energy: inout Double, _ history: History) {
        for _ in 0..<count {
            clock.advance(by: .seconds(300))
            energy += 1
            let now = clock.timeSource.now
            let outcome = history.record(
                History.Sample(
                    subject: ups,
                    time: now.secondsSince1970,
                    identity: .init(stream: history.stream, sequence: now.monotonic.inMilliseconds),
                    values: [(.loadPercent, 40)],
                    counters: [(.energy, energy)]
                )
            )
            #expect(outcome == (now.secondsSince1970 < ClockCheck.earliest ? .undated : .recorded))
        }
    }

    private func buckets(_ history: History) async throws -> [HistoryBucket] {
        await history.saveAll()
        return try await history.buckets(of: ups, from: 0, to: 1 << 40)
    }

    private func energy(_ history: History) async throws -> Double {
        try await buckets(history).compactMap { $0[.energy]?.average }.reduce(0, +)
    }

    @Test(arguments: HistoryStoreKind.allCases, steps + [year1970])
    func `a start with a wrong clock deletes nothing and recording resumes`(
        _ kind: HistoryStoreKind,
        _ wrong: Double
    ) async throws {
        try await with(kind) { open in
            var total = 100.0
            let first = try await history(try await open())
            collect(12, &total, first)
            let old = try await buckets(first)
            await first.prune()
            await first.close()

            clock.stepWall(by: wrong)
            let second = try await history(try await open())
            await second.prune()
            collect(12, &total, second)
            await second.prune()
            #expect(try await Set(buckets(second).map(\.start)).isSuperset(of: old.map(\.start)))

            clock.stepWall(by: -wrong)
            let now = Int64(clock.timeSource.now.secondsSince1970)
            collect(3, &total, second)
            await second.prune()
            let labels = try await buckets(second).map(\.start).filter { $0 >= now - 300 && $0 <= now + 900 }
            // Points from a clock that was behind by more than the retention are removed like any others of that age.
            let lost = wrong == -40 * 86_400 ? 12.0 : 0
            #expect(labels.count >= 3)
            #expect(try await energy(second) == total - 101 - lost)
            await second.close()
            // Points with a wrong time do not prevent the next start from recording.
            let third = try await history(try await open())
            collect(3, &total, third)
            await third.prune()
            #expect(try await energy(third) == total - 101 - lost)
            await third.close()
        }
    }

    @Test(arguments: HistoryStoreKind.allCases, steps + [year1970])
    func `a step while running loses no energy and deletes nothing`(
        _ kind: HistoryStoreKind,
        _ wrong: Double
    ) async throws {
        try await with(kind) { open in
            var total = 100.0
            let history = try await history(try await open())
            collect(7, &total, history)
            let old = try await buckets(history)
            clock.stepWall(by: wrong)
            collect(5, &total, history)
            #expect(history.clockProblem != nil)
            await history.prune()
            clock.stepWall(by: -wrong)
            #expect(history.clockProblem == nil)
            collect(5, &total, history)
            await history.prune()
            #expect(try await Set(buckets(history).map(\.start)).isSuperset(of: old.map(\.start)))
            // PostgreSQL hides data beyond the retention, even before it is removed.
            let lost = wrong == -40 * 86_400 && kind == .postgres ? 5.0 : 0
            #expect(try await energy(history) == total - 101 - lost)
            #expect(history.latest(of: ups)?.time == clock.timeSource.now.secondsSince1970)
            #expect(log.messages(.warn).count == 1)
            await history.close()
        }
    }

    @Test(arguments: HistoryStoreKind.allCases)
    func `a clock that stays ahead deletes nothing for a day, even across restarts`(
        _ kind: HistoryStoreKind
    ) async throws {
        try await with(kind) { open in
            var total = 100.0
            let first = try await history(try await open())
            collect(12, &total, first)
            let old = try await buckets(first)
            await first.prune()
            await first.close()
            clock.stepWall(by: 40 * 86_400)
            for _ in 0..<3 {
                let later = try await history(try await open())
                await later.prune()
                collect(24, &total, later)
                await later.prune()
                #expect(try await Set(buckets(later).map(\.start)).isSuperset(of: old.map(\.start)))
                await later.close()
            }
        }
    }

    @Test func `removes and logs data older than the retention while the clock runs evenly`() async throws {
        var total = 100.0
        let history = try await history(MemoryHistoryStore())
        collect(12, &total, history)
        await history.saveAll()
        clock.advance(by: .seconds(33 * 86_400))
        await history.prune()
        #expect(try await buckets(history).isEmpty)
        #expect(log.messages(.info).count == 1)
    }

    @Test func `keeps a subject with a wrong time while it reports`() async throws {
        var total = 100.0
        let history = try await history(MemoryHistoryStore())
        clock.stepWall(by: -40 * 86_400)
        collect(2, &total, history)
        clock.stepWall(by: 40 * 86_400)
        await history.prune()
        collect(2, &total, history)
        #expect(try await energy(history) == 3)
    }
}
