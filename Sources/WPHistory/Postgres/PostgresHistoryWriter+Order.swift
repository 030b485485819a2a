// SPDX-License-Identifier: MIT

import WPCore
import WPLogging
import WPPostgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PostgresHistoryWriter {
    /// The delay after the end of a day until its buckets are clustered, in seconds, to allow for late samples.
    private static let clusterDelay: Int64 = 3600
    /// The timeout for clustering one day.
    private static let clusterTimeout = Duration.seconds(300)

    /// Clusters the buckets of past days by subject. Unclustered, each bucket of a subject is on another page: a query
    /// over a month of a hundred subjects reads 8,700 pages instead of 340.
    ///
    /// Queries of a day wait once, while the server copies its partition. If that fails, because of a reader or a full
    /// disk, the next call retries.
    func order() async throws {
        try await prepare()
        let end = Int64(timeSource.now.secondsSince1970) - Self.clusterDelay
        let found = try await pool.run(PostgresStatement(PostgresHistorySchema.unordered))
        var failures: [(partition: String, error: PostgresError)] = []
        for row in 0..<found.rowCount {
            guard let name = found[row, 0], let day = PostgresHistorySchema.day(of: name),
                day + PostgresHistorySchema.day <= end
            else { continue }
            do {
                try await order(name)
            } catch let error as PostgresError {
                failures.append((name, error))
                // Without a database connection, each remaining day would also wait for its timeout.
                guard [.statement, .lockTimeout, .timeout].contains(error.code) else { break }
            }
        }
        guard let first = failures.first else { return }
        logger.warn(
            "Days of the history in PostgreSQL could not be clustered; queries of them take longer",
            ["days": .int(failures.count), "partition": .string(first.partition), "error": .describing(first.error)]
        )
    }

    private func order(_ name: String) async throws {
        try await pool.transaction { [orderLockTimeout] session throws(PostgresError) in
            _ = try await session.query("SELECT pg_advisory_xact_lock(\(PostgresHistorySchema.lock))")
            // Another program may have clustered or dropped the day.
            let left = try await session.query(PostgresHistorySchema.unordered)
            guard let index = (0..<left.rowCount).first(where: { left[$0, 0] == name }).flatMap({ left[$0, 1] }) else {
                return
            }
            _ = try await session.query("SET LOCAL lock_timeout = \(orderLockTimeout)")
            let cluster = PostgresStatement("CLUSTER \(name) USING \(index)", timeout: Self.clusterTimeout)
            _ = try await session.query(cluster)
            // Updates the statistics, so that the planner reads in index order without sorting.
            _ = try await session.query(PostgresStatement("ANALYZE \(name)", timeout: Self.clusterTimeout))
        }
    }
}
