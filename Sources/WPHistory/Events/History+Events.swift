// SPDX-License-Identifier: MIT

import Synchronization

/// Unsaved events. A changed event replaces its previous version.
struct HistoryEventBuffer: Sendable {
    /// The maximum number of events. Only long failures reach it; the oldest events are then dropped.
    static let maxEvents = 20_000

    private struct Identity: Hashable {
        var key: HistoryEvent.Key
        var start: Int64
    }

    private var events: [Identity: HistoryEvent] = [:]

    /// All events, unordered.
    var all: [HistoryEvent] { Array(events.values) }

    mutating func add(_ event: HistoryEvent) {
        events[Identity(key: event.key, start: event.start)] = event
        guard events.count > Self.maxEvents, let oldest = events.min(by: { $0.value.start < $1.value.start }) else {
            return
        }
        events[oldest.key] = nil
    }

    /// Removes saved events, unless they have changed since.
    mutating func remove(_ saved: [HistoryEvent]) {
        for event in saved {
            let identity = Identity(key: event.key, start: event.start)
            if events[identity] == event { events[identity] = nil }
        }
    }

    mutating func remove(of subject: HistorySubject) {
        events = events.filter { $0.key.key.subject != subject }
    }
}

extension History {
    /// Records that an event began or ended. It is saved with the next points.
    package func record(_ event: HistoryEvent) {
        eventBuffer.withLock { $0.add(event) }
    }

    /// The events that match a query, including unsaved ones, latest first.
    /// - Throws: ``HistoryStoreError`` if the store cannot be read.
    package func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
        let unsaved = eventBuffer.withLock { $0.all.filter(query.matches) }
        let changed = Set(unsaved.map { HistoryEvent($0.key, start: $0.start) })
        let saved = try await store.events(query).filter { !changed.contains(HistoryEvent($0.key, start: $0.start)) }
        return Array(HistoryEvent.joined(saved + unsaved).prefix(query.limit))
    }

    /// Saves pending events. They stay pending on failure.
    func saveEvents() async throws {
        let pending = eventBuffer.withLock { $0.all }
        guard !pending.isEmpty else { return }
        try await store.write(pending)
        eventBuffer.withLock { $0.remove(pending) }
    }
}
