// SPDX-License-Identifier: MIT

import Synchronization

/// An in-memory history, for tests and read-only systems.
package final class MemoryHistoryStore: SharedHistoryStore {
    struct State {
        var events: [HistoryEvent] = []
        var subjects: [HistorySubject: HistorySubjectState] = [:]
        var buckets: [HistorySubject: [HistoryBucket]] = [:]
        var failure: HistoryStoreError?
        var retentionTime: Double?
        /// For a shared store: the state of each subject's samples.
        var folds: [HistorySubject: HistoryFold] = [:]
    }

    package let isShared: Bool

    private let state = Mutex(State())

    /// Creates an empty store.
    /// - Parameter isShared: whether several histories write to it.
    package init(isShared: Bool = false) {
        self.isShared = isShared
    }

    /// Accesses the state, unless writes fail.
    func change<Value>(_ work: (inout State) -> Value) throws -> Value {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return work(&state)
        }
    }

    /// Makes each write fail with an error; nil restores normal operation.
    package func fail(_ error: HistoryStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Saves a batch.
    package func write(_ batch: HistoryBatch) async throws {
        try change { state in
            for (subject, bucket) in batch.buckets { Self.merge(bucket, of: subject, &state) }
            guard isShared else {
                for subject in batch.subjects { state.subjects[subject.subject] = subject }
                return
            }
            for samples in batch.samples {
                let subject = samples.subject
                let known = state.folds[subject]
                var fold = HistoryFold(
                    position: known?.position ?? HistoryPosition(),
                    lastSample: known?.lastSample ?? -.infinity,
                    counters: known?.counters ?? [:],
                    chunks: known.map { Array($0.chunks.values) } ?? []
                )
                fold.add(samples.all, seconds: samples.seconds)
                state.folds[subject] = fold
                for bucket in fold.buckets.values { Self.merge(bucket, of: subject, &state) }
            }
            for subject in batch.subjects where state.folds[subject.subject]?.isNewest(subject) ?? true {
                state.subjects[subject.subject] = subject
            }
        }
    }

    private static func merge(_ bucket: HistoryBucket, of subject: HistorySubject, _ state: inout State) {
        var buckets = state.buckets[subject, default: []]
        let index = buckets.firstIndex { $0.start >= bucket.start } ?? buckets.endIndex
        guard bucket.samples > 0 else {
            // A bucket without samples moves an increase to or from stored buckets.
            if index < buckets.endIndex, buckets[index].start == bucket.start { buckets[index].merge(bucket) }
            state.buckets[subject] = buckets
            return
        }
        // Values are rounded as in the other stores.
        let stored = bucket.aggregateBytes.withUnsafeBytes {
            HistoryBucket(start: bucket.start, seconds: bucket.seconds, samples: bucket.samples, bytes: $0)
        }
        guard let stored else { return }
        if index < buckets.endIndex, buckets[index].start == bucket.start {
            buckets[index].merge(stored)
        } else {
            buckets.insert(stored, at: index)
        }
        state.buckets[subject] = buckets
    }

    /// Every subject of a shared store.
    package func changes() async throws -> [HistorySubjectState] {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return isShared ? try await subjects() : []
    }

    /// Every subject.
    package func subjects() async throws -> [HistorySubjectState] {
        state.withLock { $0.subjects.values.sorted { $0.subject < $1.subject } }
    }

    /// Reads the buckets of a subject.
    package func read(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        into reduction: HistoryReduction
    ) async throws {
        let all = state.withLock { $0.buckets[subject] ?? [] }
        reduction.begin()
        for bucket in all where bucket.start >= from && bucket.start < to { reduction.add(bucket) }
    }

    /// Removes old buckets.
    package func prune(before: Int64, limit: Int) async throws -> Int {
        state.withLock { state in
            var removed = 0
            for (subject, buckets) in state.buckets {
                let count = min(buckets.count { $0.start < before }, limit - removed)
                state.buckets[subject]?.removeFirst(count)
                removed += count
            }
            if removed < limit {
                state.subjects = state.subjects.filter { subject, known in
                    known.lastSample >= Double(before) || state.buckets[subject]?.isEmpty == false
                }
                state.events.removeAll { $0.end ?? .max < before || state.subjects[$0.key.subject] == nil }
            }
            return removed
        }
    }

    /// The retention time.
    package func retentionTime() async throws -> Double? {
        state.withLock(\.retentionTime)
    }

    /// Stores the retention time.
    package func agree(onRetentionTime time: Double) async throws -> Double {
        try change { state in
            let agreed = isShared ? max(state.retentionTime ?? time, time) : time
            state.retentionTime = agreed
            return agreed
        }
    }

    /// Removes a subject.
    package func remove(_ subject: HistorySubject) async throws -> Bool {
        try change { state in
            state.folds[subject] = nil
            state.events.removeAll { $0.key.subject == subject }
            let hadBuckets = state.buckets.removeValue(forKey: subject) != nil
            return state.subjects.removeValue(forKey: subject) != nil || hadBuckets
        }
    }

    /// The statistics of the content.
    package func statistics() async throws -> HistoryStatistics {
        state.withLock { state in
            let starts = state.buckets.values.joined().map(\.start)
            return HistoryStatistics(
                subjects: state.subjects.keys.count { $0.kind != .fleet },
                buckets: starts.count,
                first: starts.min(),
                last: starts.max()
            )
        }
    }

    /// Does nothing.
    package func close() async {}
}
