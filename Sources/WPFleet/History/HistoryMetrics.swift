// SPDX-License-Identifier: MIT

import WPHistory
import WPMetrics

/// The history's status as metrics.
enum HistoryMetrics {
    static func register(_ history: History, prefix: String, _ registry: Registry) throws(MetricError) {
        func row(
            _ name: String,
            _ help: String,
            _ type: MetricType = .gauge,
            _ value: @escaping @Sendable (History.Status) -> Int
        ) throws(MetricError) -> FamilyRow<History.Status> {
            try FamilyRow("\(prefix)_\(name)", help, type: type) { Double(value($0)) }
        }
        let rows = [
            try row("up", "1 while the history can be saved, 0 while it cannot.") { $0.failure == nil ? 1 : 0 },
            try row("subjects", "UPSes and nodes in the history.") { $0.subjects },
            try row("pending_buckets", "Points waiting to be saved.") { $0.pendingBuckets },
            try row("writes_total", "Writes of the history that succeeded.", .counter) { $0.writes },
            try row("write_failures_total", "Writes of the history that failed.", .counter) { $0.failedWrites },
            try row(
                "dropped_buckets_total",
                "Buckets that were lost because too many waited to be saved.",
                .counter
            ) { $0.droppedBuckets },
            try row(
                "file_replacements_total",
                "How often the file of the history, or its lock, was removed or replaced while it was open.",
                .counter
            ) { $0.fileReplacements },
        ]
        try registry.register(RowCollector([FamilyRows(rows)]) { history.status })
        try registry.function(
            name: "\(prefix)_clock_plausible",
            help: "1 while the wall clock is plausible; 0 while it is not, and the retention is paused."
        ) { history.clockProblem == nil ? 1 : 0 }
    }
}
