// SPDX-License-Identifier: MIT

/// Keeps events. Old ones are removed with the buckets of their time, see ``HistoryStore/prune(before:limit:)``.
package protocol HistoryEventStore: Sendable {
    /// Saves events, all or nothing. One that is there already gets the new end; one that has ended also ends what is still
    /// open of its key, which another program may have begun.
    /// - Throws: ``HistoryStoreError``.
    func write(_ events: [HistoryEvent]) async throws

    /// The events that match a query, the latest first.
    /// - Throws: ``HistoryStoreError``.
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent]
}
