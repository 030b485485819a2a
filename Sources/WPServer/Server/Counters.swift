// SPDX-License-Identifier: MIT

import Synchronization

/// Statistics that a server's thread updates and any thread reads.
final class Counters<Statistics: Sendable>: Sendable {
    private let statistics: Mutex<Statistics>

    init(_ statistics: Statistics) {
        self.statistics = Mutex(statistics)
    }

    var snapshot: Statistics { statistics.withLock { $0 } }

    func update(_ change: (inout Statistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
