// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The last cycles, for the debug page.
final class CycleHistory: Sendable {
    struct Cycle: Sendable {
        /// As the field `cycle` of the log has it.
        let number: Int
        let started: Date
        let duration: Duration
        let outcome: Collector.Outcome
    }

    static let capacity = 20

    private let timeSource: any TimeSource
    private let cycles = Mutex<[Cycle]>([])

    init(timeSource: any TimeSource) {
        self.timeSource = timeSource
    }

    /// The last cycles, the oldest first.
    var all: [Cycle] { cycles.withLock { $0 } }

    /// Times a cycle.
    /// - Parameter number: the cycle's.
    func record(_ number: Int, _ cycle: () async -> Collector.Outcome) async {
        let start = timeSource.now
        let outcome = await cycle()
        let entry = Cycle(number: number, started: start.wall, duration: timeSource.now.since(start), outcome: outcome)
        cycles.withLock { cycles in
            if cycles.count == Self.capacity { cycles.removeFirst() }
            cycles.append(entry)
        }
    }
}
