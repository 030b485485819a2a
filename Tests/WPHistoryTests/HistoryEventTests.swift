// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPTestKit

@testable import WPHistory

@Suite struct HistoryEventTests {
    private let key = HistoryEvent.Key(ups, .onBattery)

    @Test func `joins overlapping events of one key`() {
        let joined = HistoryEvent.joined([
            HistoryEvent(key, start: 100, end: 200), HistoryEvent(key, start: 105, end: 210),
            HistoryEvent(key, start: 300, end: 310), HistoryEvent(.init(node, .offline), start: 150, end: 160),
            HistoryEvent(key, start: 305),
        ])
        #expect(joined.map(\.start) == [300, 150, 100])
        #expect(joined.map(\.end) == [nil, 160, 210])
    }

    @Test func `an event never ends before it begins`() {
        #expect(HistoryEvent(key, start: 100, end: 50).end == 100)
    }

    @Test func `buffers events while the store fails and returns them`() async throws {
        let store = MemoryHistoryStore()
        let history = try await History(store, timeSource: TestClock().timeSource, logger: .silent)
        store.fail(HistoryStoreError(code: .full, message: "full"))
        history.record(HistoryEvent(key, start: 100))
        await history.saveAll()
        store.fail(nil)
        history.record(HistoryEvent(key, start: 100, end: 200))
        #expect(try await history.events(.init(from: 0, to: .max)).map(\.end) == [200])
        await history.saveAll()
        #expect(try await store.events(.init(from: 0, to: .max)).map(\.end) == [200])
    }

    @Test func `limits buffered events`() {
        var buffer = HistoryEventBuffer()
        for start in 0...Int64(HistoryEventBuffer.maxEvents) { buffer.add(HistoryEvent(key, start: start, end: start)) }
        #expect(buffer.all.count == HistoryEventBuffer.maxEvents)
        #expect(buffer.all.map(\.start).min() == 1)
    }
}
