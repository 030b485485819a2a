// SPDX-License-Identifier: MIT

import WPMetrics
import WPPostgres

/// A query with one parameter set on one database.
struct QueryDefinition: Sendable {
    let query: QueryFile.Query
    /// The index of the parameter set.
    let set: Int
    let metrics: [QueryFile.Metric]
    let database: QueryFile.Database
    /// How long the last result is kept after a failure.
    let keep: Duration
    let zone: TimeZoneRules

    /// All definitions of a file, in file order.
    static func all(_ file: QueryFile, zone: TimeZoneRules) -> [QueryDefinition] {
        file.queries.flatMap { query in
            query.statements.indices.flatMap { set in
                query.databases.compactMap { name in
                    file.databases.first { $0.name == name }.map { database in
                        QueryDefinition(
                            query: query,
                            set: set,
                            metrics: query.metrics.compactMap { name in file.metrics.first { $0.name == name } },
                            database: database,
                            keep: file.keep,
                            zone: zone
                        )
                    }
                }
            }
        }
    }

    /// The properties that must be equal for a query to continue across a reload. The session is compared separately.
    struct Key: Hashable {
        let result: ResultKey
        /// The bytes of the text, because Swift considers canonically equivalent strings equal.
        let statement: [UInt8]
        let schedule: QueryFile.Schedule
        let jitter: Duration
        let timeout: Duration
        let sets: Int
        let keep: Duration
        let zone: TimeZoneRules
    }

    /// The properties that must be equal for the last result of a query to be kept until it has run again.
    struct ResultKey: Hashable {
        let query: String
        let set: Int
        let metrics: [QueryFile.Metric]
        let labels: [[UInt8]]
    }

    var resultKey: ResultKey {
        var metrics = metrics
        for index in metrics.indices { metrics[index].help = "" }
        return ResultKey(
            query: query.name,
            set: set,
            metrics: metrics,
            labels: database.fixedLabels.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
        )
    }

    var key: Key {
        Key(
            result: resultKey,
            statement: Array(query.statements[set].utf8),
            schedule: query.schedule,
            jitter: query.jitter,
            timeout: query.timeout,
            sets: query.statements.count,
            keep: keep,
            zone: zone
        )
    }

    /// The name in logs and errors.
    var name: String {
        let count = query.statements.count
        return count == 1 ? query.name : "\(query.name) (parameters \(set + 1) of \(count))"
    }

    /// The label values of its metrics.
    var labels: [String] { database.fixedLabels.map(\.value) + [query.name] }

    /// The number of definitions with these label values.
    var siblings: Int { query.statements.count }
}
