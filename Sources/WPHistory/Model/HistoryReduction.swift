// SPDX-License-Identifier: MIT

import Synchronization

/// Receives the buckets of a query in chronological order.
package protocol HistorySink: Sendable {
    /// Resets at the start or restart of a query.
    func begin()
    /// Receives the next bucket.
    func take(_ bucket: HistoryBucket)
}

/// Merges buckets, in chronological order, into wider ones, and passes each to a sink when complete. Empty intervals
/// stay gaps.
///
/// A query may read 8,640 buckets, so none are stored here, and one array is reused. ``History`` creates it.
public final class HistoryReduction: Sendable {
    private struct State {
        /// The bucket being merged, if ``isOpen``.
        var bucket = HistoryBucket(start: 0, seconds: 0, samples: 0)
        var isOpen = false
        /// How many of ``unsaved`` have been joined.
        var taken = 0
        /// The buffer of the bucket being read, for reuse.
        var read: [HistoryBucket.Aggregate] = []
    }

    private let step: Int64
    private let unsaved: [HistoryBucket]
    private let sink: any HistorySink
    private let state = Mutex(State())

    /// - Parameters:
    ///   - step: the width in seconds; wider buckets are unchanged.
    ///   - unsaved: buckets, or parts of them, that are not in any store, in chronological order.
    init(step: Int64, unsaved: [HistoryBucket] = [], into sink: any HistorySink) {
        self.step = max(1, step)
        self.unsaved = unsaved
        self.sink = sink
    }

    /// Resets. A store calls it when it starts or restarts to read.
    public func begin() {
        sink.begin()
        state.withLock { $0 = State() }
    }

    /// Adds a bucket of a store; they arrive in order of time. Ignores one without length or samples.
    public func add(_ bucket: HistoryBucket) {
        guard bucket.seconds > 0, bucket.samples > 0 else { return }
        state.withLock { state in
            addUnsaved(before: bucket.start, &state)
            join(bucket, &state)
        }
    }

    /// Adds a bucket in stored form: see ``HistoryBucket/aggregateBytes``. Ignores a damaged one.
    func add(start: Int64, seconds: Int64, samples: Int, bytes: UnsafeRawBufferPointer) {
        guard seconds > 0, samples > 0 else { return }
        state.withLock { state in
            addUnsaved(before: start, &state)
            if joins(start, seconds, state) {
                state.read.removeAll(keepingCapacity: true)
                guard HistoryBucket.read(bytes, samples: samples, into: &state.read) else { return }
                state.bucket.merge(state.read, samples, seconds)
            } else {
                open(start, seconds, samples, &state)
                state.isOpen = HistoryBucket.read(bytes, samples: samples, into: &state.bucket.aggregates)
            }
        }
    }

    /// Passes the remaining data to the sink at the end of the store's data.
    func finish() {
        state.withLock { state in
            addUnsaved(before: .max, &state)
            close(&state)
        }
    }

    private func addUnsaved(before start: Int64, _ state: inout State) {
        while state.taken < unsaved.count, unsaved[state.taken].start < start {
            join(unsaved[state.taken], &state)
            state.taken += 1
        }
    }

    private func join(_ bucket: HistoryBucket, _ state: inout State) {
        if joins(bucket.start, bucket.seconds, state) {
            state.bucket.merge(bucket.aggregates, bucket.samples, bucket.seconds)
        } else {
            open(bucket.start, bucket.seconds, bucket.samples, &state)
            state.bucket.aggregates += bucket.aggregates
        }
    }

    /// Whether a bucket belongs to the open one.
    private func joins(_ start: Int64, _ seconds: Int64, _ state: borrowing State) -> Bool {
        state.isOpen && state.bucket.start == begin(of: start, seconds)
    }

    private func open(_ start: Int64, _ seconds: Int64, _ samples: Int, _ state: inout State) {
        close(&state)
        state.isOpen = true
        state.bucket.start = begin(of: start, seconds)
        state.bucket.seconds = max(step, seconds)
        state.bucket.samples = samples
        state.bucket.aggregates.removeAll(keepingCapacity: true)
    }

    private func close(_ state: inout State) {
        if state.isOpen { sink.take(state.bucket) }
        state.isOpen = false
    }

    private func begin(of start: Int64, _ seconds: Int64) -> Int64 {
        seconds >= step ? start : HistoryBucket.start(of: start, step: step)
    }
}

/// Collects the buckets of a query.
final class HistoryList: HistorySink {
    private let list = Mutex<[HistoryBucket]>([])

    var buckets: [HistoryBucket] { list.withLock { $0 } }

    func begin() { list.withLock { $0 = [] } }

    func take(_ bucket: HistoryBucket) { list.withLock { $0.append(bucket) } }
}
