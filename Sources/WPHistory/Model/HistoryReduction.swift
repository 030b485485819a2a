// SPDX-License-Identifier: MIT

import Synchronization

/// Merges buckets, in chronological order, into wider ones. Empty intervals stay gaps. ``History`` creates it.
public final class HistoryReduction: Sendable {
    private struct State {
        /// The merged buckets; the last may be incomplete.
        var buckets: [HistoryBucket] = []
        /// How many of ``unsaved`` have been joined.
        var joinedCount = 0
    }

    private let step: Int64
    private let unsaved: [HistoryBucket]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - step: the width in seconds; wider buckets are unchanged.
    ///   - unsaved: buckets, or parts of them, that are not in any store, in chronological order.
    init(step: Int64, unsaved: [HistoryBucket] = []) {
        self.step = max(1, step)
        self.unsaved = unsaved
    }

    /// Resets. A store calls it when it starts or restarts reading.
    public func begin() {
        state.withLock { $0 = State() }
    }

    /// Adds a bucket from a store, in chronological order. Ignores a bucket without length or samples.
    public func add(_ bucket: HistoryBucket) {
        guard bucket.seconds > 0, bucket.samples > 0 else { return }
        state.withLock { state in
            addUnsaved(before: bucket.start, &state)
            join(bucket, &state)
        }
    }

    /// Returns the merged buckets after the store's last one was added.
    func finish() -> [HistoryBucket] {
        state.withLock { state in
            addUnsaved(before: .max, &state)
            return state.buckets
        }
    }

    private func addUnsaved(before start: Int64, _ state: inout State) {
        while state.joinedCount < unsaved.count, unsaved[state.joinedCount].start < start {
            join(unsaved[state.joinedCount], &state)
            state.joinedCount += 1
        }
    }

    private func join(_ bucket: HistoryBucket, _ state: inout State) {
        let start = bucket.seconds >= step ? bucket.start : HistoryBucket.start(of: bucket.start, step: step)
        if let last = state.buckets.indices.last, state.buckets[last].start == start {
            state.buckets[last].merge(bucket)
            return
        }
        var wide = bucket
        (wide.start, wide.seconds) = (start, max(step, bucket.seconds))
        state.buckets.append(wide)
    }
}
