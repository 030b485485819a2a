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
/// A query may read 8,640 buckets, so none are stored here. ``History`` creates it.
public final class HistoryReduction: Sendable {
    private struct State {
        /// The bucket being merged.
        var open: HistoryBucket?
        /// How many of ``unsaved`` have been joined.
        var taken = 0
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

    /// Passes the remaining data to the sink at the end of the store's data.
    func finish() {
        state.withLock { state in
            addUnsaved(before: .max, &state)
            if let open = state.open { sink.take(open) }
            state.open = nil
        }
    }

    private func addUnsaved(before start: Int64, _ state: inout State) {
        while state.taken < unsaved.count, unsaved[state.taken].start < start {
            join(unsaved[state.taken], &state)
            state.taken += 1
        }
    }

    private func join(_ bucket: HistoryBucket, _ state: inout State) {
        let start = bucket.seconds >= step ? bucket.start : HistoryBucket.start(of: bucket.start, step: step)
        if state.open?.start == start {
            state.open?.merge(bucket)
            return
        }
        if let open = state.open { sink.take(open) }
        var wide = bucket
        (wide.start, wide.seconds) = (start, max(step, bucket.seconds))
        state.open = wide
    }
}

/// Collects the buckets of a query.
final class HistoryList: HistorySink {
    private let list = Mutex<[HistoryBucket]>([])

    var buckets: [HistoryBucket] { list.withLock { $0 } }

    func begin() { list.withLock { $0 = [] } }

    func take(_ bucket: HistoryBucket) { list.withLock { $0.append(bucket) } }
}
