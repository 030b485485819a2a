// SPDX-License-Identifier: MIT

import WPHistory
import WPMetrics

/// The history's status as metrics.
enum HistoryMetrics {
    static func register(_ history: History, prefix: String, _ registry: Registry) throws(MetricError) {
        let rows: [(String, String, MetricType, @Sendable (History.Status) -> Int)] = [
            ("subjects", "UPSes and nodes that the history knows.", .gauge, { $0.subjects }),
            ("pending_buckets", "Points waiting to be saved.", .gauge, { $0.pendingBuckets }),
            ("writes_total", "Writes of the history that succeeded.", .counter, { $0.writes }),
            ("write_failures_total", "Writes of the history that failed.", .counter, { $0.failedWrites }),
            (
                "dropped_buckets_total", "Buckets that were lost because too many waited to be saved.", .counter,
                { $0.droppedBuckets }
            ),
            (
                "file_replacements_total",
                "How often the file of the history, or its lock, was removed or replaced while it was open.", .counter,
                { $0.fileReplacements }
            ),
        ]
        try registry.function(
            name: "\(prefix)_up",
            help: "1 while the history can be saved, 0 while it cannot."
        ) { history.status.failure == nil ? 1 : 0 }
        try registry.function(
            name: "\(prefix)_clock_plausible",
            help: "1 while the wall clock is plausible; 0 while it is not, and the retention is paused."
        ) { history.clockProblem == nil ? 1 : 0 }
        for (name, help, type, value) in rows {
            let descriptor = try MetricDescriptor(name: "\(prefix)_\(name)", help: help, type: type)
            try registry.register(FunctionCollector(descriptor) { Double(value(history.status)) })
        }
    }
}
