// SPDX-License-Identifier: MIT

package import WPMetrics

/// The status of databases and their sessions at the time of a scrape.
package struct DatabaseCollector: ImmediateCollector {
    /// The status of a database.
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

    /// - Parameter read: returns the status of a database by name.
    package init(_ file: QueryFile, read: @escaping @Sendable (String) -> Reading) throws(MetricError) {
        let names = ["database"] + file.databaseLabelNames
        up = try MetricDescriptor(
            name: "database_up",
            help: "1 if the last attempt to open a session succeeded, 0 otherwise.",
            type: .gauge,
            labelNames: names
        )
        connections = try MetricDescriptor(
            name: "database_connections",
            help: "Sessions that are open, opening or closing.",
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
    /// The labels of all its metrics.
    var fixedLabels: [Label] { [Label("database", name)] + labels.map { Label($0.name, $0.value) } }
}
