// SPDX-License-Identifier: MIT

package import WPPostgres

/// A validated file of queries: query-exporter's format with a few additional keys.
package struct QueryFile: Sendable {
    /// A database that queries run on.
    package struct Database: Sendable {
        /// The name, used as the value of the label `database`.
        package var name: String
        /// Its address.
        package var address: PostgresAddress
        /// The maximum number of sessions.
        package var maximumSessions = 1
        /// Statements to run in each new session.
        package var connectSQL: [String] = []
        /// Labels of all its metrics, besides `database`; all databases have the same label names.
        package var labels: [(name: String, value: String)] = []
        /// Whether sessions are read-only.
        package var isReadOnly = true
        /// How long a statement waits for a lock; nil for the default.
        package var lockTimeout: Duration?
    }

    /// The meaning of NULL in a metric's column.
    package enum NullPolicy: String, Sendable, Hashable, CaseIterable {
        /// The row has no sample of that metric.
        case skip
        /// 0, as in query-exporter.
        case zero
        /// NaN.
        case nan
    }

    /// A metric, whose value is the column of the same name.
    package struct Metric: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case counter, gauge, histogram, summary
            case enumeration = "enum"
        }

        package var name: String
        package var kind: Kind
        package var help = ""
        /// The labels other than the database's; each is also a column.
        package var labels: [String] = []
        /// The bounds of a histogram's buckets; nil for the default.
        package var buckets: [Double]?
        /// The states of an enum.
        package var states: [String] = []
        /// The maximum age of a result; nil for ``QueryFile/keep`` after a failure.
        package var expiration: Duration?
        /// Whether each row's value is added to the counter instead of replacing it.
        package var increments = false
        package var onNull = NullPolicy.skip

        /// The name in the exposition: counters end in `_total`.
        package var exposedName: String {
            kind == .counter && !name.hasSuffix("_total") ? name + "_total" : name
        }
    }

    /// When a query runs.
    package enum Schedule: Sendable, Hashable {
        /// At an interval that starts with the program, or, if aligned, at multiples of the interval since midnight UTC
        /// (since 1970, for intervals of a day or more).
        case every(Duration, isAligned: Bool)
        /// When the local time matches.
        case cron(CronExpression)
        /// At startup and on each scrape.
        case onScrape
    }

    /// A query.
    package struct Query: Sendable, Hashable {
        package var name: String
        package var databases: [String]
        package var metrics: [String]
        /// The statements, one per parameter set with its values as literals; only one if there are no parameters.
        package var statements: [String] = []
        package var schedule = Schedule.onScrape
        /// The maximum random delay of each run.
        package var jitter = Duration.zero
        package var timeout = Duration.seconds(30)
    }

    package var databases: [Database] = []
    package var metrics: [Metric] = []
    package var queries: [Query] = []
    /// The buckets of `query_duration_seconds`; nil for the default.
    package var durationBuckets: [Double]?
    /// How long the last result of a failing query is kept, unless its metric has an expiration.
    package var keep = Duration.seconds(300)
    /// Warnings about valid but questionable content, one sentence each.
    package var warnings: [String] = []

    package init() {}

    /// The names of the databases' own labels.
    var databaseLabelNames: [String] { databases.first?.labels.map(\.name) ?? [] }
}

/// A fault in a file of queries. Its message never quotes an address.
package struct QueryFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line and column, from 1.
    package let line: Int
    package let column: Int
    /// The path of the key, such as `queries.orders.interval`.
    package let key: String
    /// What was found, what is expected, and what to do.
    package let message: String

    /// `line:column: key: message`.
    package var description: String { "\(line):\(column): \(key.isEmpty ? "" : "\(key): ")\(message)" }
}
