// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
package import WPMetrics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The metrics of queries. Kept across reloads while the databases' label names stay the same.
package final class QueryInstruments: Sendable {
    /// The last result of one task. Tasks that differ only in their parameter sets have the same labels.
    private struct LastResult {
        var rows: Int
        var duplicates: Int
        var succeeded: TimePoint
    }

    /// The values of the label `status`.
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
    private let readings = Mutex<[[String]: [Int: LastResult]]>([:])

    /// Creates the families without registering them.
    convenience init(_ file: QueryFile) throws(MetricError) { try self.init(Registry(), file) }

    /// Registers the families.
    /// - Throws: `MetricError` for a name that is already registered.
    package init(_ registry: Registry, _ file: QueryFile) throws(MetricError) {
        labelNames = file.databaseLabelNames
        buckets = file.durationBuckets ?? FamilyShape.standardBuckets
        let database = ["database"] + labelNames
        let both = database + ["query"]
        let bounds = try HistogramBuckets(buckets)
        func add<Child: ExposedInstrument>(
            _ name: String,
            _ help: String,
            unit: String? = nil,
            _ labelNames: [String],
            make: @escaping @Sendable () -> Child
        ) throws(MetricError) -> InstrumentFamily<Child> {
            let descriptor = try MetricDescriptor(
                name: name,
                help: help,
                type: Child.type,
                unit: unit,
                labelNames: labelNames
            )
            // No limit: the queries and databases of the file determine the number of series.
            let family = try InstrumentFamily(
                descriptor,
                labelNames: labelNames,
                maximumChildren: .max,
                creationClock: nil,
                make: make
            )
            try registry.register(family)
            return family
        }
        queries = try add("queries_total", "Queries that were run, by how they ended.", both + ["status"]) { Counter() }
        errors = try add("database_errors_total", "Failures to open a session of a database.", database) { Counter() }
        duration = try add(
            "query_duration_seconds",
            "Time of a query that succeeded, from its start in a session to the last row.",
            unit: "seconds",
            both
        ) { Histogram(buckets: bounds) }
        wait = try add(
            "query_wait_seconds",
            "Time that a query waited for a session, or for one to be opened.",
            unit: "seconds",
            both
        ) { Histogram(buckets: bounds) }
        rows = try add("query_rows", "Rows of the last result.", both) { Gauge() }
        lastSuccess = try add(
            "query_last_success_timestamp_seconds",
            "When the query last succeeded, with each of its sets of parameters, in seconds since 1970.",
            unit: "seconds",
            both
        ) { Gauge() }
        duplicates = try add(
            "query_duplicate_rows",
            "Rows of the last result with the labels of another one, of which the last is shown.",
            both
        ) { Gauge() }
    }

    /// The child for a query or database of the file.
    private static func child<Child: Instrument>(_ family: InstrumentFamily<Child>, _ values: [String]) -> Child {
        do {
            return try family.with(values: values)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Whether the families match another version of the file.
    package func fits(_ file: QueryFile) -> Bool {
        labelNames == file.databaseLabelNames && buckets == file.durationBuckets ?? FamilyShape.standardBuckets
    }

    /// The families, for a registry.
    var families: [any MetricCollector] { [queries, errors, duration, wait, rows, lastSuccess, duplicates] }

    /// Removes the series of removed queries.
    /// - Parameters:
    ///   - labels: the remaining labels.
    ///   - tasks: the remaining tasks.
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
        Self.child(queries, labels + [status]).increment()
    }

    func databaseFailed(_ labels: [String]) {
        Self.child(errors, labels).increment()
    }

    func waited(_ labels: [String], _ span: Duration) {
        Self.child(wait, labels).observe(span)
    }

    /// Records a success.
    /// - Parameters:
    ///   - tasks: the number of tasks with these labels.
    func succeeded(
        _ labels: [String],
        task: Int,
        of tasks: Int,
        took: Duration,
        at now: TimePoint,
        rows count: Int,
        duplicates repeated: Int
    ) {
        Self.child(duration, labels).observe(took)
        readings.withLock { readings in
            readings[labels, default: [:]][task] = LastResult(rows: count, duplicates: repeated, succeeded: now)
            guard let all = readings[labels]?.values else { return }
            Self.child(rows, labels).set(Double(all.reduce(0) { $0 + $1.rows }))
            Self.child(duplicates, labels).set(Double(all.reduce(0) { $0 + $1.duplicates }))
            // The success of one parameter set must not hide another that always fails.
            guard all.count >= tasks, let oldest = all.min(by: { $0.succeeded.monotonic < $1.succeeded.monotonic })
            else { return }
            Self.child(lastSuccess, labels).set(oldest.succeeded.wall.timeIntervalSince1970)
        }
    }
}
