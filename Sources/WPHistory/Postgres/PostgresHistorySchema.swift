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

    /// The partitioned tables and their partition keys.
    enum Partitioned: String, CaseIterable {
        case bucket = "winpower_history_bucket"
        /// Earlier versions used it to detect duplicates. It is no longer written.
        case seen = "winpower_history_seen"

        /// The table of a day, named by the day's start in seconds since 1970.
        func partition(_ day: Int64) -> String { "\(rawValue)_\(day / PostgresHistorySchema.day)" }
    }

    /// Creates missing tables. All statements run in one transaction.
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
    ]

    /// Creates the partition of a day. Unlike creating it in place, attaching blocks neither readers nor writers.
    static func partition(_ table: Partitioned, _ day: Int64) -> [String] {
        let name = table.partition(day)
        return [
            "CREATE TABLE \(name) (LIKE \(table.rawValue) INCLUDING ALL)",
            "ALTER TABLE \(table.rawValue) ATTACH PARTITION \(name) FOR VALUES FROM (\(day)) TO (\(day + Self.day))",
        ]
    }

    /// The days with partitions of a table.
    static func days(_ table: Partitioned) -> String {
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            + "WHERE i.inhparent = to_regclass('\(table.rawValue)')"
    }

    /// The partitions of buckets that were never clustered.
    static let unordered =
        "SELECT c.relname, k.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
        + "JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary AND NOT x.indisclustered "
        + "JOIN pg_class k ON k.oid = x.indexrelid WHERE i.inhparent = '\(Partitioned.bucket.rawValue)'::regclass "
        + "ORDER BY c.relname"

    /// The start of a day from the name of its partition; nil for any other table.
    static func day(of name: String, _ table: Partitioned) -> Int64? {
        guard name.hasPrefix(table.rawValue + "_") else { return nil }
        return Int64(name.dropFirst(table.rawValue.count + 1)).map { $0 * day }
    }
}
