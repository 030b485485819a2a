// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPModel
import WPTestKit

@testable import WPExporter

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The status of /health")
struct HealthTests {
    private let clock = TestClock()
    private let pace = Pace(.seconds(5))

    private func report(_ snapshot: @escaping (TimePoint) -> CollectionSnapshot, after time: Duration) -> HealthReport {
        let start = clock.timeSource.now
        let value = snapshot(start)
        clock.advance(by: time)
        return HealthEndpoint(
            snapshot: { value },
            timeSource: clock.timeSource,
            started: start,
            pace: pace
        ).report()
    }

    @Test(arguments: [
        (HistoryHealth.State.opening, nil), (.open, nil), (.failing, "history"), (.failed, "history"),
    ])
    func isDegradedWhileTheHistoryFails(_ state: HistoryHealth.State, _ reason: String?) {
        let endpoint = HealthEndpoint(
            snapshot: { CollectionSnapshot() },
            timeSource: clock.timeSource,
            started: clock.timeSource.now,
            pace: pace,
            history: { HistoryHealth(state: state) }
        )
        #expect(endpoint.report().reason == reason)
        #expect(endpoint.report().status == (reason == nil ? .ok : .degraded))
    }

    @Test func isDegradedWhenNoCycleHasEndedForThreeIntervals() {
        #expect(report({ _ in CollectionSnapshot() }, after: .seconds(15)).status == .ok)
        #expect(report({ _ in CollectionSnapshot() }, after: .seconds(16)).reason == "stalled")
        #expect(report({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(15)).status == .ok)
        let hung = report({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(16))
        #expect(hung.status == .degraded)
        #expect(hung.reason == "stalled")
    }

    @Test func isDegradedWhenNothingWasSavedForThreeIntervals() {
        let report = report(
            { start in
                let end = TimePoint(
                    wall: start.wall.addingTimeInterval(16),
                    monotonic: start.monotonic + .seconds(16)
                )
                return CollectionSnapshot(generation: 9, lastEnd: end, unsavedSince: start)
            },
            after: .seconds(16)
        )
        #expect(report.status == .degraded)
        #expect(report.reason == "storage")
    }

    @Test func saysThatNoHistoryIsKept() throws {
        let json = try JSONEncoder().encode(report({ _ in CollectionSnapshot() }, after: .zero))
        #expect(String(decoding: json, as: UTF8.self).contains("\"history\":null"))
    }

    @Test func followsTheInterval() {
        pace.set(.seconds(60))
        #expect(report({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(180)).status == .ok)
        #expect(report({ CollectionSnapshot(generation: 3, lastEnd: $0) }, after: .seconds(181)).status == .degraded)
    }
}
