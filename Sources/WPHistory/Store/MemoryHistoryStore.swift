// SPDX-License-Identifier: MIT

import Synchronization

/// A history that ends with the process: for tests, and where nothing may be written.
package final class MemoryHistoryStore: HistoryStore {
    private struct State {
        var subjects: [HistorySubject: HistorySubjectState] = [:]
        var buckets: [HistorySubject: [HistoryBucket]] = [:]
        var failure: HistoryStoreError?
        /// Of a shared store: what is known of the samples, and the counters at the last one of each subject.
        var seen: [HistorySubject: [Int64: Set<Int64>]] = [:]
        var counted: [HistorySubject: (time: Double, counters: [HistoryQuantity: Double])] = [:]
    }

    package let isShared: Bool

    private let state = Mutex(State())

    /// Creates an empty store.
    /// - Parameter isShared: whether several histories write to it.
    package init(isShared: Bool = false) {
        self.isShared = isShared
    }

    /// Makes each write fail; nil ends that.
    package func fail(_ error: HistoryStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Saves a batch.
    package func write(_ batch: HistoryBatch) async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            for (subject, bucket) in batch.buckets { Self.merge(bucket, of: subject, &state) }
            for samples in batch.samples {
                let subject = samples.subject
                let counted = state.counted[subject]
                var fold = HistoryFold(
                    lastSample: counted?.time ?? -.infinity,
                    counters: counted?.counters ?? [:],
                    seen: state.seen[subject] ?? [:],
                    remembered: .min
                )
                fold.add(samples.all, seconds: samples.seconds)
                state.seen[subject] = fold.seen
                state.counted[subject] = (fold.lastSample, fold.counters)
                for bucket in fold.buckets.values { Self.merge(bucket, of: subject, &state) }
            }
            for subject in batch.subjects {
                if isShared, let known = state.subjects[subject.subject], known.lastSample > subject.lastSample {
                    continue
                }
                state.subjects[subject.subject] = subject
            }
        }
    }

    private static func merge(_ bucket: HistoryBucket, of subject: HistorySubject, _ state: inout State) {
        var buckets = state.buckets[subject, default: []]
        let index = buckets.firstIndex { $0.start >= bucket.start } ?? buckets.endIndex
        // As the other stores keep it.
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
