// SPDX-License-Identifier: MIT

import Synchronization

/// Counts calls from any task.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// Increments the counter and returns its value.
    func next() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
