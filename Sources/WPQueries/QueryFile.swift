// SPDX-License-Identifier: MIT

package import WPPostgres

/// What a file of queries says, checked: query-exporter's file, with a few keys more.
package struct QueryFile: Sendable {
    /// A database that queries run on.
    package struct Database: Sendable {
        /// The name, which is the value of the label `database`.
        package var name: String
        /// Where it is.
        package var address: PostgresAddress
        /// The maximum number of sessions.
        package var maximumSessions = 1
        /// Statements to run in each new session.
        package var connectSQL: [String] = []
        /// Labels of everything that comes from it, besides `database`; all databases have the same names.
        package var labels: [(name: String, value: String)] = []
        /// Whether sessions refuse to write.
        package var isReadOnly = true
        /// How long a statement waits for a lock; nil for the default.
        package var lockTimeout: Duration?
    }

    /// What a NULL in a metric's column means.
    package enum NullPolicy: String, Sendable, Hashable, CaseIterable {
        /// The row has no sample of that metric.
        case skip
        /// 0, as in query-exporter.
        case zero
        /// Not a number.
        case nan
    }

    /// A metric, which is a column of the same name.
    package struct Metric: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case counter, gauge, histogram, summary
            case enumeration = "enum"
        }

        package var name: String
        package var kind: Kind
        package var help = ""
        /// The labels besides those of the database, which are columns too.
        package var labels: [String] = []
        /// The bounds of a histogram's buckets; nil for the default.
        package var buckets: [Double]?
        /// The states of an enum.
        package var states: [String] = []
        /// How old a result may become; nil for ``QueryFile/keep`` after a failure.
        package var expiration: Duration?
        /// Whether a counter adds each row's value, instead of taking it.
        package var increments = false
        package var onNull = NullPolicy.skip

        /// The name in the exposition: a counter ends in `_total`.
        package var exposedName: String {
            kind == .counter && !name.hasSuffix("_total") ? name + "_total" : name
        }
    }

    /// When a query runs.
    package enum Schedule: Sendable, Hashable {
        /// On a grid that begins with the program, or on multiples of the interval since midnight UTC where it is aligned
        /// (since 1970, for intervals of a day and more).
        case every(Duration, isAligned: Bool)
        /// When the clock on the wall matches.
        case cron(CronExpression)
        /// At the start and whenever somebody scrapes.
        case onScrape
    }

    /// A query.
    package struct Query: Sendable, Hashable {
        package var name: String
        package var databases: [String]
        package var metrics: [String]
        /// The statements, one per set of parameters, whose values stand in them as literals; one when there are none.
        package var statements: [String] = []
        package var schedule = Schedule.onScrape
        /// Each run is delayed by a random time up to this.
        package var jitter = Duration.zero
        package var timeout = Duration.seconds(30)
    }

    package var databases: [Database] = []
    package var metrics: [Metric] = []
    package var queries: [Query] = []
    /// The buckets of `query_duration_seconds`; nil for the default.
    package var durationBuckets: [Double]?
    /// How long the last result of a query that fails is shown, where its metric has no expiration.
    package var keep = Duration.seconds(300)
    /// What works but should be looked at, one sentence each.
    package var warnings: [String] = []

    package init() {}

    /// The names of the databases' own labels.
    var databaseLabelNames: [String] { databases.first?.labels.map(\.name) ?? [] }
}

/// One thing that is wrong with a file of queries. Its message never quotes an address.
package struct QueryFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line and column, from 1.
    package let line: Int
    package let column: Int
    /// The keys that lead there, such as `queries.orders.interval`.
    package let key: String
    /// What was found, what is expected, and what to do.
    package let message: String

    /// `line:column: key: message`.
    package var description: String { "\(line):\(column): \(key.isEmpty ? "" : "\(key): ")\(message)" }
}
