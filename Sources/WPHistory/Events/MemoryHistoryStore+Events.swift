// SPDX-License-Identifier: MIT

extension MemoryHistoryStore {
    /// Saves events.
    package func write(_ events: [HistoryEvent]) async throws {
        try change { state in
            for event in events {
                state.events.removeAll { $0.key == event.key && $0.start == event.start }
                if let end = event.end {
                    for index in state.events.indices
                    where state.events[index].key == event.key && state.events[index].end == nil
                        && state.events[index].start <= end
                    {
                        state.events[index].end = end
                    }
                }
                state.events.append(event)
            }
        }
    }

    /// The events that match a query.
    package func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
        try change { state in
            Array(state.events.filter(query.matches).sorted { $0.start > $1.start }.prefix(query.limit))
        }
    }
}
