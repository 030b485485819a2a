// SPDX-License-Identifier: MIT

import Synchronization
package import WPMetrics
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the program counts of its queries. It is kept over reloads, as long as the databases' labels stay the same.
package final class QueryInstruments: Sendable {
    /// The last result of one task, of those that have the labels of their query in common.
    private struct Reading {
        var rows: Int
        var duplicates: Int
        var succeeded: TimePoint
    }

    /// How a run may end, as the label `status` has it.
    static let statuses = ["success", "error", "timeout", "invalid-value"]

    private let labelNames: [String]
    private let buckets: [Double]
    private let queries: CounterFamily
    private let errors: CounterFamily
    private let duration: HistogramFamily
    private let wait: HistogramFamily
    private let rows: GaugeFamily
    private let lastSuccess: GaugeFamily
    private let duplicates: GaugeFamily
    private let readings = Mutex<[[String]: [Int: Reading]]>([:])

    /// Adds the families to a registry.
    /// - Throws: `MetricError` for a name that is taken.
    package init(_ registry: Registry, _ file: QueryFile) throws(MetricError) {
        labelNames = file.databaseLabelNames
        buckets = file.durationBuckets ?? FamilyShape.standardBuckets
        let database = ["database"] + labelNames
        let both = database + ["query"]
        queries = try registry.counter(
            name: "queries_total",
            help: "Queries that were run, by how they ended.",
            labelNames: both + ["status"]
        )
        errors = try registry.counter(
            name: "database_errors_total",
            help: "Failures to open a session of a database.",
            labelNames: database
        )
        duration = try registry.histogram(
            name: "query_duration_seconds",
            help: "Time of a query that succeeded, from its start in a session to the last row.",
            unit: "seconds",
            labelNames: both,
            buckets: try HistogramBuckets(buckets)
        )
        wait = try registry.histogram(
            name: "query_wait_seconds",
            help: "Time that a query waited for a session, or for one to be opened.",
            unit: "seconds",
            labelNames: both,
            buckets: try HistogramBuckets(buckets)
        )
        rows = try registry.gauge(name: "query_rows", help: "Rows of the last result.", labelNames: both)
        lastSuccess = try registry.gauge(
            name: "query_last_success_timestamp_seconds",
            help: "When the query last succeeded, with each of its sets of parameters, in seconds since 1970.",
            unit: "seconds",
            labelNames: both
        )
        duplicates = try registry.gauge(
            name: "query_duplicate_rows",
            help: "Rows of the last result with the labels of another one, of which the last is shown.",
            labelNames: both
        )
    }

    /// Whether the families fit another version of the file.
    package func fits(_ file: QueryFile) -> Bool {
        labelNames == file.databaseLabelNames && buckets == file.durationBuckets ?? FamilyShape.standardBuckets
    }

    /// Adds the families to another registry too.
    package func register(in registry: Registry) throws(MetricError) {
        for family in [queries, errors, duration, wait, rows, lastSuccess, duplicates] as [any MetricCollector] {
            try registry.register(family)
        }
    }

    /// Forgets the series of queries that are gone.
    /// - Parameters:
    ///   - labels: the labels of those that are left.
    ///   - tasks: the tasks that are left.
    func keep(_ labels: Set<[String]>, tasks: Set<Int>) {
        readings.withLock { readings in
            for row in Array(readings.keys) {
                readings[row] = readings[row]?.filter { tasks.contains($0.key) }
                guard !labels.contains(row) else { continue }
                readings[row] = nil
                for status in Self.statuses { queries.remove(values: row + [status]) }
                for family in [rows, lastSuccess, duplicates] { family.remove(values: row) }
                for family in [duration, wait] { family.remove(values: row) }
            }
        }
    }

    func ended(_ labels: [String], _ status: String) {
        readings.withLock { $0[labels] = $0[labels] ?? [:] }
        try? queries.with(values: labels + [status]).increment()
    }

    func databaseFailed(_ labels: [String]) {
        try? errors.with(values: labels).increment()
    }

    func waited(_ labels: [String], _ span: Duration) {
        try? wait.with(values: labels).observe(span)
    }

    /// Notes a success.
    /// - Parameters:
    ///   - tasks: how many tasks have these labels.
    func succeeded(
        _ labels: [String],
        task: Int,
        of tasks: Int,
        took: Duration,
        at now: TimePoint,
        rows count: Int,
        duplicates repeated: Int
    ) {
        try? duration.with(values: labels).observe(took)
        readings.withLock { readings in
            readings[labels, default: [:]][task] = Reading(rows: count, duplicates: repeated, succeeded: now)
            guard let all = readings[labels]?.values else { return }
            try? rows.with(values: labels).set(Double(all.reduce(0) { $0 + $1.rows }))
            try? duplicates.with(values: labels).set(Double(all.reduce(0) { $0 + $1.duplicates }))
            // A set of parameters that always fails is not hidden by the success of another.
            guard all.count >= tasks, let oldest = all.min(by: { $0.succeeded.monotonic < $1.succeeded.monotonic })
            else { return }
            try? lastSuccess.with(values: labels).set(oldest.succeeded.wall.timeIntervalSince1970)
        }
    }
}
