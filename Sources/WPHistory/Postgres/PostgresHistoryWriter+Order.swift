// SPDX-License-Identifier: MIT

import WPLogging
import WPPostgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PostgresHistoryWriter {
    /// How long after its end a day's buckets are put in order, in seconds: most that come late have come by then.
    private static let rest: Int64 = 3600
    /// How long that may take for one day.
    private static let orderTime = Duration.seconds(300)

    /// Has the buckets of days that are over lie subject by subject. They came moment by moment, so that each of a subject's
    /// lies on a page of its own: a query over a month of a hundred subjects reads 8,700 pages, and 340 of those in order.
    ///
    /// Queries of that day wait while the server copies the partition, once in its life. One that can't be copied now, as
    /// when somebody reads it or the disk is full, is left as it is until the next call.
    func order() async throws {
        try await prepare()
        let end = Int64(Date().timeIntervalSince1970) - Self.rest
        let found = try await pool.run(PostgresStatement(PostgresHistorySchema.unordered))
        var failures: [(partition: String, error: PostgresError)] = []
        for row in 0..<found.rowCount {
            guard let name = found[row, 0], let day = PostgresHistorySchema.day(of: name, .bucket),
                day + PostgresHistorySchema.day <= end
            else { continue }
            do {
                try await order(name)
            } catch let error as PostgresError {
                failures.append((name, error))
                // Without a database the others would wait for one in turn.
                guard [.statement, .lockTimeout, .timeout].contains(error.code) else { break }
            }
        }
        guard let first = failures.first else { return }
        logger.warn(
            "Days of the history in PostgreSQL could not be put in order; queries of them take longer",
            ["days": .int(failures.count), "partition": .string(first.partition), "error": .describing(first.error)]
        )
    }

    private func order(_ name: String) async throws {
        try await pool.transaction { [orderPatience] session throws(PostgresError) in
            _ = try await session.query("SELECT pg_advisory_xact_lock(\(PostgresHistorySchema.lock))")
            // Another program may have done it, or dropped the day, meanwhile.
            let left = try await session.query(PostgresHistorySchema.unordered)
            guard let index = (0..<left.rowCount).first(where: { left[$0, 0] == name }).flatMap({ left[$0, 1] }) else {
                return
            }
            _ = try await session.query("SET LOCAL lock_timeout = \(orderPatience)")
            _ = try await session.query(PostgresStatement("CLUSTER \(name) USING \(index)", timeout: Self.orderTime))
            // So that the planner knows, and reads along the index without sorting.
            _ = try await session.query(PostgresStatement("ANALYZE \(name)", timeout: Self.orderTime))
        }
    }
}
