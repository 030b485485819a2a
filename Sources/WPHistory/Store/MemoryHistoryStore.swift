// SPDX-License-Identifier: MIT

import Synchronization

/// A history that ends with the process: for tests, and where nothing may be written.
package final class MemoryHistoryStore: HistoryStore {
    private struct State {
        var subjects: [HistorySubject: HistorySubjectState] = [:]
        var buckets: [HistorySubject: [HistoryBucket]] = [:]
        var failure: HistoryStoreError?
    }

    private let state = Mutex(State())

    /// Creates an empty store.
    package init() {}

    /// Makes each write fail; nil ends that.
    package func fail(_ error: HistoryStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Saves a batch.
    package func write(_ batch: HistoryBatch) async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            for (subject, bucket) in batch.buckets {
                var buckets = state.buckets[subject, default: []]
                let index = buckets.firstIndex { $0.start >= bucket.start } ?? buckets.endIndex
                // As the other stores keep it.
                let stored = bucket.aggregateBytes.withUnsafeBytes {
                    HistoryBucket(start: bucket.start, seconds: bucket.seconds, samples: bucket.samples, bytes: $0)
                }
                guard let stored else { continue }
                if index < buckets.endIndex, buckets[index].start == bucket.start {
                    buckets[index].merge(stored)
                } else {
                    buckets.insert(stored, at: index)
                }
                state.buckets[subject] = buckets
            }
            for subject in batch.subjects { state.subjects[subject.subject] = subject }
        }
    }

    /// Every subject.
    package func subjects() async throws -> [HistorySubjectState] {
        state.withLock { $0.subjects.values.sorted { $0.subject < $1.subject } }
    }

    /// The buckets of a subject.
    package func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64
    ) async throws -> [HistoryBucket] {
        let all = state.withLock { $0.buckets[subject] ?? [] }
        var reduction = HistoryReduction(step: step)
        for bucket in all where bucket.start >= from && bucket.start < to { reduction.add(bucket) }
        return reduction.buckets
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
            }
            return removed
        }
    }

    /// How much there is.
    package func statistics() async throws -> HistoryStatistics {
        state.withLock { state in
            let starts = state.buckets.values.joined().map(\.start)
            return HistoryStatistics(
                subjects: state.subjects.count,
                buckets: starts.count,
                first: starts.min(),
                last: starts.max()
            )
        }
    }

    /// Does nothing.
    package func close() async {}
}
