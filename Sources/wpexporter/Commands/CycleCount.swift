// SPDX-License-Identifier: MIT

import Synchronization

/// Counts up to a limit, for whoever waits for it.
final class CycleCount: Sendable {
    private let limit: Int
    private let counted = Mutex(0)
    private let reached: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameter limit: at how many the wait ends; 0 for never.
    init(limit: Int) {
        self.limit = limit
        (reached, continuation) = AsyncStream.makeStream()
    }

    func count() {
        let isReached = counted.withLock { counted in
            counted += 1
            return counted == limit
        }
        if isReached { continuation.finish() }
    }

    /// Returns when the limit is reached or the task is cancelled.
    func wait() async {
        for await _ in reached {}
    }
}
