// SPDX-License-Identifier: MIT

import WPPostgres

/// The tables of a history in PostgreSQL. Buckets are partitioned by day, so that old ones are removed by dropping a
/// table.
enum PostgresHistorySchema {
    static let version = 1
    /// The number of the advisory lock that programs hold while changing tables: "WPhi" in ASCII.
    static let lock = 0x5750_6869
    /// The length of a partition, in seconds.
    static let day: Int64 = 86_400

    private static let bucket = "winpower_history_bucket"

    /// Creates missing tables, and drops the one that early versions used to detect duplicates. All statements run in
    /// one transaction.
    static let statements = [
        "SELECT pg_advisory_xact_lock(\(lock))",
        "CREATE TABLE IF NOT EXISTS winpower_history_format (version integer NOT NULL)",
        "INSERT INTO winpower_history_format SELECT \(version) WHERE NOT EXISTS (SELECT 1 FROM winpower_history_format)",
        "ALTER TABLE winpower_history_format ADD COLUMN IF NOT EXISTS retention double precision",
        """
        CREATE TABLE IF NOT EXISTS winpower_history_subject (
            id bigserial PRIMARY KEY,
            kind text NOT NULL,
            site bytea NOT NULL,
            name bytea NOT NULL,
            last_sample double precision NOT NULL DEFAULT '-infinity',
            counted double precision NOT NULL DEFAULT '-infinity',
            counters bytea NOT NULL DEFAULT '',
            document bytea NOT NULL DEFAULT '',
            changed timestamptz NOT NULL DEFAULT clock_timestamp(),
            UNIQUE (kind, site, name)
        )
        """,
        "ALTER TABLE winpower_history_subject ADD COLUMN IF NOT EXISTS position bytea NOT NULL DEFAULT ''",
        """
        CREATE TABLE IF NOT EXISTS winpower_history_trail (
            subject bigint NOT NULL,
            slot integer NOT NULL,
            entries bytea NOT NULL,
            PRIMARY KEY (subject, slot)
        )
        """,
        "CREATE INDEX IF NOT EXISTS winpower_history_subject_changed ON winpower_history_subject (changed)",
        """
        CREATE TABLE IF NOT EXISTS winpower_history_bucket (
            subject bigint NOT NULL,
            start bigint NOT NULL,
            seconds bigint NOT NULL,
            samples bigint NOT NULL,
            quantities bytea NOT NULL,
            PRIMARY KEY (subject, start)
        ) PARTITION BY RANGE (start)
        """,
        """
        CREATE TABLE IF NOT EXISTS winpower_history_event (
            subject bigint NOT NULL,
            kind text NOT NULL,
            text bytea NOT NULL,
            start bigint NOT NULL,
            finish bigint,
            PRIMARY KEY (subject, kind, text, start)
        )
        """,
        "CREATE INDEX IF NOT EXISTS winpower_history_event_start ON winpower_history_event (start)",
        "DROP TABLE IF EXISTS winpower_history_seen",
    ]

    /// The name of the partition that contains a day's buckets. It ends in the number of the day since 1970.
    /// - Parameter day: its start, in seconds since 1970.
    static func partition(of day: Int64) -> String { "\(bucket)_\(day / Self.day)" }

    /// The statements that create the partition of a day. Unlike creating it in place, attaching it blocks neither
    /// readers nor writers.
    static func creation(of day: Int64) -> [String] {
        let name = partition(of: day)
        return [
            "CREATE TABLE \(name) (LIKE \(bucket) INCLUDING ALL)",
            "ALTER TABLE \(bucket) ATTACH PARTITION \(name) FOR VALUES FROM (\(day)) TO (\(day + Self.day))",
        ]
    }

    /// Selects the names of the partitions.
    static let partitions =
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
        + "WHERE i.inhparent = to_regclass('\(bucket)')"

    /// Selects the partitions that were never clustered, and their primary keys.
    static let unordered =
        "SELECT c.relname, k.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
        + "JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary AND NOT x.indisclustered "
        + "JOIN pg_class k ON k.oid = x.indexrelid WHERE i.inhparent = '\(bucket)'::regclass "
        + "ORDER BY c.relname"

    /// The start of a day from the name of its partition; nil for any other table.
    static func day(of name: String) -> Int64? {
        guard name.hasPrefix(bucket + "_") else { return nil }
        return Int64(name.dropFirst(bucket.count + 1)).map { $0 * day }
    }
}
