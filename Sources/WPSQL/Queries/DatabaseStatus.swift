// SPDX-License-Identifier: MIT

import WPMetrics

/// The status of a database and its sessions.
struct DatabaseStatus: Sendable {
    var isUp: Bool?
    var sessions: Int

    /// Collects the status of a file's databases at each scrape.
    /// - Parameter read: returns the status of a database by name.
    static func collector(
        _ file: QueryFile,
        read: @escaping @Sendable (String) -> DatabaseStatus
    ) throws(MetricError) -> RowCollector<Void> {
        let names = ["database"] + file.databaseLabelNames
        let rows = [
            try FamilyRow<DatabaseStatus>(
                "database_up",
                "1 if the last attempt to open a session succeeded, 0 otherwise.",
                labels: names
            ) { $0.isUp.map { $0 ? 1 : 0 } },
            try FamilyRow("database_connections", "Sessions that are open, opening or closing.", labels: names) {
                Double($0.sessions)
            },
        ]
        var databases: [(name: String, labels: LabelSet)] = []
        for database in file.databases { databases.append((database.name, try LabelSet(database.fixedLabels))) }
        let all = databases
        return RowCollector([FamilyRows(rows) { _ in all.map { ($0.labels, read($0.name)) } }]) { () }
    }
}

extension QueryFile.Database {
    /// The labels of all its metrics.
    var fixedLabels: [Label] { [Label("database", name)] + labels.map { Label($0.name, $0.value) } }
}
