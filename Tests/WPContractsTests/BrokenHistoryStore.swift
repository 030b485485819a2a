// SPDX-License-Identifier: MIT

import WPHistory

/// An in-memory history store. Each fault replaces one of its functions.
struct BrokenHistoryStore: HistoryStore {
    typealias Memory = MemoryHistoryStore

    /// The subject under which a subject's buckets are stored.
    var key: @Sendable (HistorySubject) -> HistorySubject = { $0 }
    var range: @Sendable (Int64, Int64) -> (Int64, Int64) = { ($0, $1) }
    var read: @Sendable ([HistoryBucket]) -> [HistoryBucket] = { $0 }
    var write: @Sendable (Memory, HistoryBatch) async throws -> Void = { try await $0.write($1) }
    var states: @Sendable ([HistorySubjectState]) -> [HistorySubjectState] = { $0 }
    var prune: @Sendable (Memory, Int64, Int) async throws -> Int = { try await $0.prune(before: $1, limit: $2) }
    var time: @Sendable (Double?) -> Double? = { $0 }
    var agree: @Sendable (Memory, Double) async throws -> Double = { try await $0.agree(onRetentionTime: $1) }
    var remove: @Sendable (Memory, HistorySubject) async throws -> Bool = { try await $0.remove($1) }
    var count: @Sendable (Memory, inout HistoryStatistics) async throws -> Void = { _, _ in }
    var save: @Sendable (Memory, [HistoryEvent]) async throws -> Void = { try await $0.write($1) }
    var query: @Sendable (HistoryEventQuery) -> HistoryEventQuery = { $0 }
    var found: @Sendable ([HistoryEvent]) -> [HistoryEvent] = { $0 }
    private let memory = Memory()

    func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws {
        let (from, to) = range(from, to)
        reduction.begin()
        for bucket in read(try await memory.buckets(of: key(subject), from: from, to: to, step: 1)) {
            reduction.add(bucket)
        }
    }

    func write(_ batch: HistoryBatch) async throws {
        var batch = batch
        batch.buckets = batch.buckets.map { (key($0.subject), $0.bucket) }
        try await write(memory, batch)
    }

    func subjects() async throws -> [HistorySubjectState] { states(try await memory.subjects()) }

    func prune(before: Int64, limit: Int) async throws -> Int { try await prune(memory, before, limit) }

    func retentionTime() async throws -> Double? { time(try await memory.retentionTime()) }

    func agree(onRetentionTime time: Double) async throws -> Double { try await agree(memory, time) }

    func remove(_ subject: HistorySubject) async throws -> Bool { try await remove(memory, subject) }

    func statistics() async throws -> HistoryStatistics {
        var statistics = try await memory.statistics()
        try await count(memory, &statistics)
        return statistics
    }

    func write(_ events: [HistoryEvent]) async throws { try await save(memory, events) }

    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
        found(try await memory.events(self.query(query)))
    }

    func close() async {}
}
