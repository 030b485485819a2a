// SPDX-License-Identifier: MIT

import WPPostgres

extension PostgresHistoryWriter {
    /// Removes buckets that start after a time, and moves their counter increases to the last bucket before that time.
    func removeFuture(after time: Int64) async throws -> Int {
        try await prepare()
        return try await pool.transaction { session throws(PostgresError) in
            _ = try await session.query("LOCK TABLE winpower_history_subject IN SHARE ROW EXCLUSIVE MODE")
            let rows =
                "SELECT subject, start, seconds, samples, quantities FROM winpower_history_bucket WHERE start > $1::bigint"
            let found = try await session.query(rows, String(time))
            var future: [Int64: [HistoryBucket]] = [:]
            for row in 0..<found.rowCount {
                if let (subject, bucket) = found.bucket(row) { future[subject, default: []].append(bucket) }
            }
            let last = try await session.query(
                "SELECT DISTINCT ON (subject) subject, start, seconds, samples, quantities FROM winpower_history_bucket "
                    + "WHERE subject = ANY($1::bigint[]) AND start <= $2::bigint ORDER BY subject, start DESC",
                PostgresText.array(future.keys),
                String(time)
            )
            for row in 0..<last.rowCount {
                guard let (subject, bucket) = last.bucket(row),
                    let moved = HistoryBucket.growth(of: future[subject] ?? [], to: bucket.start)
                else { continue }
                var kept = bucket
                kept.merge(moved)
                _ = try await session.query(
                    "UPDATE winpower_history_bucket SET quantities = decode($3, 'hex') "
                        + "WHERE subject = $1::bigint AND start = $2::bigint",
                    String(subject),
                    String(bucket.start),
                    PostgresText.hex(kept.aggregateBytes)
                )
            }
            _ = try await session.query("DELETE FROM winpower_history_bucket WHERE start > $1::bigint", String(time))
            _ = try await session.query(
                "UPDATE winpower_history_subject SET last_sample = $1::bigint, changed = clock_timestamp() "
                    + "WHERE last_sample > $1::bigint",
                String(time)
            )
            return found.rowCount
        }
    }
}
