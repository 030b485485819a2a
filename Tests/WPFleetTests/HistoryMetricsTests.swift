// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHistory
import WPLogging
import WPMetrics
import WPTestKit

@testable import WPFleet

@Suite struct HistoryMetricsTests {
    private let clock = TestClock()
    private let store = MemoryHistoryStore()
    private let registry = Registry()

    private func values() async -> [String] {
        let text = String(decoding: ExpositionFormat.text.encode(await registry.gather().families), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test func `reports the status of the history`() async throws {
        let history = try await History(store, timeSource: clock, logger: .silent)
        try HistoryMetrics.register(history, prefix: "p", registry)
        func record() {
            for subject in [HistorySubject(kind: .ups, name: "u"), .fleet] {
                history.record(.init(subject: subject, time: clock.now.secondsSince1970))
            }
            clock.advance(by: .seconds(300))
        }
        record()
        await history.saveAll()
        #expect(
            await values() == [
                "p_clock_plausible 1", "p_dropped_buckets_total 0", "p_file_replacements_total 0",
                "p_pending_buckets 0", "p_subjects 1", "p_up 1", "p_write_failures_total 0", "p_writes_total 1",
            ]
        )
        store.fail(HistoryStoreError(code: .full, message: "full"))
        for _ in 0..<3 {
            record()
            await history.saveAll()
        }
        clock.stepWall(by: 3600)
        #expect(
            await values() == [
                "p_clock_plausible 0", "p_dropped_buckets_total 0", "p_file_replacements_total 0",
                "p_pending_buckets 6", "p_subjects 1", "p_up 0", "p_write_failures_total 3", "p_writes_total 1",
            ]
        )
    }
}
