// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPCore
import WPModel
import WPProgram

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The most recent cycles, for the debug page.
final class CycleHistory: Sendable {
    struct Cycle: Sendable {
        /// The field `cycle` in the log.
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

    /// The cycles, oldest first.
    var all: [Cycle] { cycles.withLock { $0 } }

    /// Runs a cycle and records its duration and outcome.
    func record(_ number: Int, _ cycle: () async -> Collector.Outcome) async {
        let start = timeSource.now
        let outcome = await cycle()
        let entry = Cycle(number: number, started: start.wall, duration: timeSource.now.since(start), outcome: outcome)
        cycles.withLock { cycles in
            if cycles.count == Self.capacity { cycles.removeFirst() }
            cycles.append(entry)
        }
    }

    /// The table for the debug page, with the newest cycle first.
    func table(_ snapshot: CollectionSnapshot) -> DebugTable {
        var title = "Last cycles, \(snapshot.readings.count) devices"
        if let failure = snapshot.failure { title += ": \(failure.message)" }
        let rows = all.reversed().map { cycle in
            let milliseconds = (cycle.duration.inSeconds * 1000).rounded()
            return [
                String(cycle.number), RFC3339.string(cycle.started), "\(Int(milliseconds)) ms",
                Self.name(cycle.outcome),
            ]
        }
        return DebugTable(title, columns: ["Cycle", "Started", "Took", "Outcome"], rows: rows)
    }

    private static func name(_ outcome: Collector.Outcome) -> String {
        switch outcome {
        case .success: "success"
        case .failure(let reason): reason.rawValue
        case .cancelled: "cancelled"
        }
    }
}
