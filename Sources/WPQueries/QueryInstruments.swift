// SPDX-License-Identifier: MIT

package import WPMetrics
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the program counts of its queries.
package struct QueryInstruments: Sendable {
    private let queries: CounterFamily
    private let errors: CounterFamily
    private let duration: HistogramFamily
    private let rows: GaugeFamily
    private let lastSuccess: GaugeFamily
    private let duplicates: GaugeFamily

    /// Adds the families to a registry.
    /// - Throws: `MetricError` for a name that is taken.
    package init(_ registry: Registry, _ file: QueryFile) throws(MetricError) {
        let database = ["database"] + file.databaseLabelNames
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
            help: "Time of a query that succeeded, from a session that is free to the last row.",
            unit: "seconds",
            labelNames: both,
            buckets: try HistogramBuckets(file.durationBuckets ?? FamilyShape.standardBuckets)
        )
        rows = try registry.gauge(name: "query_rows", help: "Rows of the last result.", labelNames: both)
        lastSuccess = try registry.gauge(
            name: "query_last_success_timestamp_seconds",
            help: "When the query last succeeded, in seconds since 1970.",
            unit: "seconds",
            labelNames: both
        )
        duplicates = try registry.gauge(
            name: "query_duplicate_rows",
            help: "Rows of the last result with the labels of another one, of which the last is shown.",
            labelNames: both
        )
    }

    func ended(_ labels: [String], _ status: String) {
        try? queries.with(values: labels + [status]).increment()
    }

    func databaseFailed(_ labels: [String]) {
        try? errors.with(values: labels).increment()
    }

    func succeeded(_ labels: [String], took: Duration, at now: TimePoint, rows count: Int, duplicates repeated: Int) {
        try? duration.with(values: labels).observe(took)
        try? rows.with(values: labels).set(Double(count))
        try? lastSuccess.with(values: labels).set(now.wall.timeIntervalSince1970)
        try? duplicates.with(values: labels).set(Double(repeated))
    }
}

/// Whether databases answer, and their sessions, as they are at a scrape.
package struct DatabaseCollector: ImmediateCollector {
    /// A database's state.
    package struct Reading: Sendable {
        package var isUp: Bool?
        package var sessions: Int

        package init(isUp: Bool?, sessions: Int) {
            (self.isUp, self.sessions) = (isUp, sessions)
        }
    }

    private let up: MetricDescriptor
    private let connections: MetricDescriptor
    private let databases: [(labels: LabelSet, read: @Sendable () -> Reading)]

    /// - Parameter read: the state of a database by its name.
    package init(_ file: QueryFile, read: @escaping @Sendable (String) -> Reading) throws(MetricError) {
        let names = ["database"] + file.databaseLabelNames
        up = try MetricDescriptor(
            name: "database_up",
            help: "Whether the last attempt to open a session succeeded.",
            type: .gauge,
            labelNames: names
        )
        connections = try MetricDescriptor(
            name: "database_connections",
            help: "Sessions that are open, being opened or being ended.",
            type: .gauge,
            labelNames: names
        )
        var databases: [(labels: LabelSet, read: @Sendable () -> Reading)] = []
        for database in file.databases {
            let labels = try LabelSet(database.fixedLabels)
            databases.append((labels, { read(database.name) }))
        }
        self.databases = databases
    }

    package var descriptors: [MetricDescriptor] { [up, connections] }

    package func collectNow() -> [MetricFamily] {
        let readings = databases.map { ($0.labels, $0.read()) }
        return [
            MetricFamily(
                up,
                readings.compactMap { labels, reading in
                    reading.isUp.map { Metric(labels: labels, value: $0 ? 1 : 0) }
                }
            ),
            MetricFamily(connections, readings.map { Metric(labels: $0, value: Double($1.sessions)) }),
        ]
    }
}

extension QueryFile.Database {
    /// The labels of everything that comes from it.
    var fixedLabels: [Label] { [Label("database", name)] + labels.map { Label($0.name, $0.value) } }
}
