// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPCore
@testable import WPExporter
import WPFleet
import WPModel
import WPProgram
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The status of /health")
struct HealthTests {
    private let clock = TestClock()
    private func part(
        _ snapshot: (TimePoint) -> CollectionSnapshot,
        interval: Duration = .seconds(5),
        after time: Duration
    ) -> HealthPart {
        let start = clock.timeSource.now
        let value = snapshot(start)
        clock.advance(by: time)
        return value.health(at: clock.timeSource.now, since: start, interval: interval)
    }

    @Test(arguments: [
        (HistoryHealth.State.opening, nil), (.open, nil), (.failing, "history"), (.failed, "history"),
    ])
    func isDegradedWhileTheHistoryFails(_ state: HistoryHealth.State, _ reason: String?) {
        let part = HistoryHealth(state: state).part
        #expect(part.reason == reason)
        #expect(part.status == (reason == nil ? .ok : .degraded))
    }

    @Test func isDegradedAfterThreeIntervalsWithoutACycle() {
        #expect(part({ _ in CollectionSnapshot() }, after: .seconds(15)).status == .ok)
        #expect(part({ _ in CollectionSnapshot() }, after: .seconds(16)).reason == "stalled")
        #expect(part({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(15)).status == .ok)
        let hung = part({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(16))
        #expect(hung.status == .degraded)
        #expect(hung.reason == "stalled")
    }

    @Test(arguments: [(15, nil), (16, "storage")])
    func isDegradedAfterThreeIntervalsWithoutASave(_ seconds: Int, _ reason: String?) {
        let part = part(
            { start in
                let end = TimePoint(
                    wall: start.wall.addingTimeInterval(Double(seconds)),
                    monotonic: start.monotonic + .seconds(seconds)
                )
                return CollectionSnapshot(generation: 9, lastEnd: end, unsavedSince: start)
            },
            after: .seconds(seconds)
        )
        #expect(part.status == (reason == nil ? .ok : .degraded))
        #expect(part.reason == reason)
    }

    @Test func reportsTheStateOfCollection() throws {
        let json = try JSONEncoder().encode(part({ _ in CollectionSnapshot() }, after: .zero))
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("\"devices\":0") && text.contains("\"last_success\":null"))
    }

    @Test func keepsTheLastTwentyCycles() async {
        let history = CycleHistory(timeSource: clock.timeSource)
        for number in 1...21 {
            await history.record(number) { () async -> Collector.Outcome in
                clock.advance(by: .microseconds(number * 1600))
                return number == 21 ? .failure(.timeout) : .success
            }
        }
        #expect(history.all.map(\.number) == Array(2...21))
        let table = history.table(CollectionSnapshot())
        #expect(table.rows.map { $0[0] } == (2...21).reversed().map(String.init))
        #expect(table.rows.first.map { Array($0.suffix(2)) } == ["34 ms", "timeout"])
        #expect(table.rows.last.map { Array($0.suffix(2)) } == ["3 ms", "success"])
        #expect(table.title == "Last cycles, 0 devices")
    }

    @Test func followsTheInterval() {
        let interval = Duration.seconds(60)
        #expect(
            part({ CollectionSnapshot(generation: 3, lastEnd: $0) }, interval: interval, after: .seconds(180)).status
                == .ok
        )
        #expect(
            part({ CollectionSnapshot(generation: 3, lastEnd: $0) }, interval: interval, after: .seconds(181)).status
                == .degraded
        )
    }
}
