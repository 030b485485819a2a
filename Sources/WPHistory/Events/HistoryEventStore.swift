// SPDX-License-Identifier: MIT

/// Keeps events. Old ones are removed with the buckets of their time, see ``HistoryStore/prune(before:limit:)``.
public protocol HistoryEventStore: Sendable {
    /// Saves events atomically. Updates the end of an existing event; an ended one also ends open events of its key
    /// from other programs.
    /// - Throws: ``HistoryStoreError``.
    func write(_ events: [HistoryEvent]) async throws

    /// The events that match a query, the latest first.
    /// - Throws: ``HistoryStoreError``.
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent]
}
