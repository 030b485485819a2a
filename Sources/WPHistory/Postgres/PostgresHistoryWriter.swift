// SPDX-License-Identifier: MIT

import WPCore
import WPLogging
import WPPostgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes to a history in PostgreSQL, and caches the parts of its state that this program knows.
///
/// Concurrent writers lock per subject: each transaction locks the rows of its subjects, ordered by number, before it
/// reads and updates them. A transaction with an unknown outcome can be repeated, because samples that were saved are
/// then duplicates.
actor PostgresHistoryWriter {
    /// The overlap of queries for changes, in seconds: the maximum time from a change's timestamp to its commit.
    private static let overlap = 60

    let pool: PostgresPool
    /// The lock timeout of ``order()``, in milliseconds.
    let orderLockTimeout: Int
    let timeSource: any TimeSource
    let logger: Logger
    private var isPrepared = false
    /// The days with partitions.
    private var days: Set<Int64> = []
    private var numbers: [HistorySubject: Int64] = [:]
    /// When the subjects known to this program last changed, as text.
    private var knownChanges: [Int64: String] = [:]
    /// The database's time of the last query for changes, as text.
    private var mark: String?
    /// Buckets that start before this time, in seconds since 1970, are hidden.
    private(set) var horizon = Int64.min

    init(_ pool: PostgresPool, orderLockTimeout: Int, _ timeSource: any TimeSource, _ logger: Logger) {
        self.pool = pool
        self.orderLockTimeout = orderLockTimeout
        self.timeSource = timeSource
        self.logger = logger
    }

    /// Creates the tables, once.
    func prepare() async throws {
        guard !isPrepared else { return }
        let version = try await pool.transaction { session throws(PostgresError) in
            for statement in PostgresHistorySchema.statements { _ = try await session.query(statement) }
            return try await session.query("SELECT version FROM winpower_history_format")[0, 0].flatMap(Int.init)
        }
        guard let version else {
            throw HistoryStoreError(
                code: .foreign,
                message: "the history in PostgreSQL has no format: use another database"
            )
        }
        guard version <= PostgresHistorySchema.version else {
            throw HistoryStoreError(
                code: .foreign,
                message:
                    "the history in PostgreSQL has format \(version) of a later version of this program, which reads "
                    + "up to \(PostgresHistorySchema.version): use that version, or another database"
            )
        }
        isPrepared = true
    }

    // MARK: Partitions

    /// Creates the missing partitions of days.
    private func prepare(_ wanted: Set<Int64>) async throws {
        let missing = wanted.subtracting(days).sorted()
        guard !missing.isEmpty else { return }
        try await pool.transaction { session throws(PostgresError) in
            _ = try await session.query("SELECT pg_advisory_xact_lock(\(PostgresHistorySchema.lock))")
            let known = try await Self.days(session)
            for day in missing where !known.contains(day) {
                for statement in PostgresHistorySchema.creation(of: day) { _ = try await session.query(statement) }
            }
        }
        days.formUnion(missing)
    }

    private static func days(_ session: any PostgresSessioning) async throws(PostgresError) -> Set<Int64> {
        let rows = try await session.query(PostgresHistorySchema.partitions)
        return Set((0..<rows.rowCount).compactMap { rows[$0, 0].flatMap(PostgresHistorySchema.day(of:)) })
    }

    private static func day(of time: Int64) -> Int64 {
        HistoryBucket.start(of: time, step: PostgresHistorySchema.day)
    }

    /// Drops the partitions of days that ended before a time, and creates those of today and of the next two days.
    func prune(before: Int64) async throws {
        try await prepare()
        horizon = before
        let now = Int64(timeSource.now.secondsSince1970)
        let dropped = try await pool.transaction { session throws(PostgresError) in
            _ = try await session.query("SELECT pg_advisory_xact_lock(\(PostgresHistorySchema.lock))")
            let dropped = try await Self.days(session).filter { $0 + PostgresHistorySchema.day <= before }
            for day in dropped { _ = try await session.query("DROP TABLE \(PostgresHistorySchema.partition(of: day))") }
            _ = try await session.query(
                "DELETE FROM winpower_history_subject s WHERE last_sample < $1::bigint AND NOT EXISTS "
                    + "(SELECT 1 FROM winpower_history_bucket b WHERE b.subject = s.id AND b.start >= $1::bigint)",
                String(before)
            )
            _ = try await session.query(
                "DELETE FROM winpower_history_trail t WHERE NOT EXISTS "
                    + "(SELECT 1 FROM winpower_history_subject s WHERE s.id = t.subject)"
            )
            _ = try await session.query(
                "DELETE FROM winpower_history_event WHERE finish < $1::bigint "
                    + "OR subject NOT IN (SELECT id FROM winpower_history_subject)",
                String(before)
            )
            return dropped
        }
        if !dropped.isEmpty {
            logger.info(
                "Old days of the history in PostgreSQL were removed",
                ["days": .int(dropped.count), "before": .int(Int(before))]
            )
        }
        // Includes days that another program dropped.
        days = days.filter { $0 + PostgresHistorySchema.day > before }
        let today = Self.day(of: now)
        try await prepare(Set((0...2).map { today + $0 * PostgresHistorySchema.day }))
    }

    // MARK: Removal

    func remove(_ subject: HistorySubject) async throws -> Bool {
        try await prepare()
        let existed = try await pool.transaction { session throws(PostgresError) in
            // Programs that write to the subject lock this row first.
            let found = try await session.query(
                "SELECT id FROM winpower_history_subject WHERE kind = $1 AND site = decode($2, 'hex') "
                    + "AND name = decode($3, 'hex') FOR UPDATE",
                subject.kind.rawValue,
                PostgresText.hex(subject.site.utf8),
                PostgresText.hex(subject.name.utf8)
            )
            guard found.rowCount > 0, let number = found[0, 0] else { return false }
            for table in ["bucket", "event", "trail"] {
                _ = try await session.query("DELETE FROM winpower_history_\(table) WHERE subject = $1::bigint", number)
            }
            _ = try await session.query("DELETE FROM winpower_history_subject WHERE id = $1::bigint", number)
            return true
        }
        if let number = numbers.removeValue(forKey: subject) { knownChanges[number] = nil }
        return existed
    }

    // MARK: Retention

    func retentionTime() async throws -> Double? {
        try await prepare()
        let row = try await pool.run(PostgresStatement("SELECT retention FROM winpower_history_format"))
        return row[0, 0].map { PostgresText.double($0) }
    }

    /// Stores the retention time. It is limited by the database's clock, so only two wrong clocks can advance it too
    /// far.
    func agree(onRetentionTime time: Double) async throws -> Double {
        try await prepare()
        let row = try await pool.run(
            PostgresStatement(
                "UPDATE winpower_history_format SET retention = least(greatest(retention, $1::float8), "
                    + "extract(epoch FROM clock_timestamp())::float8) RETURNING retention",
                parameters: [.text(time.description)]
            )
        )
        return row[0, 0].map { PostgresText.double($0) } ?? time
    }

    // MARK: Changes

    func changes() async throws -> [HistorySubjectState] {
        try await prepare()
        // The mark is invalid if the database's clock was set back since.
        let since =
            mark.map {
                "changed >= '\($0)'::timestamptz - interval '\(Self.overlap) seconds' "
                    + "OR clock_timestamp() < '\($0)'::timestamptz"
            } ?? "true"
        let rows = try await pool.run(
            PostgresStatement(
                "SELECT id, changed, (SELECT clock_timestamp()) FROM winpower_history_subject WHERE \(since)"
            )
        )
        guard rows.rowCount > 0 else { return [] }
        var updates: [Int64: String] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows[row, 0].flatMap(Int64.init), let changed = rows[row, 1] else { continue }
            if knownChanges[number] != changed { updates[number] = changed }
        }
        let states =
            updates.isEmpty
            ? []
            : try await pool.run(
                PostgresStatement(
                    "SELECT kind, site, name, last_sample, counters, document, position, "
                        + "extract(epoch FROM clock_timestamp() - changed) FROM winpower_history_subject "
                        + "WHERE id = ANY($1::bigint[])",
                    parameters: [.text(PostgresText.array(updates.keys.sorted()))]
                )
            ).states
        knownChanges.merge(updates) { $1 }
        mark = rows[0, 2]
        return states
    }

    // MARK: Writing

    func write(_ batch: HistoryBatch) async throws {
        try await prepare()
        var work: [HistorySubject: SubjectWork] = [:]
        for list in batch.samples { work[list.subject, default: SubjectWork()].samples.append(list) }
        for (subject, bucket) in batch.buckets { work[subject, default: SubjectWork()].buckets.append(bucket) }
        for state in batch.subjects { work[state.subject, default: SubjectWork()].state = state }
        var wanted: Set<Int64> = []
        for subjectWork in work.values {
            for bucket in subjectWork.buckets { wanted.insert(Self.day(of: bucket.start)) }
            for list in subjectWork.samples {
                for sample in list.all { wanted.insert(Self.day(of: sample.time / 1000)) }
            }
        }
        do {
            try await write(work, wanted)
        } catch let error as PostgresError where error.code == .statement {
            // Another program may have dropped a partition or removed a subject, so the cached state is reloaded.
            (days, numbers) = ([], [:])
            try await write(work, wanted)
        }
    }

    private func write(_ work: [HistorySubject: SubjectWork], _ wanted: Set<Int64>) async throws {
        try await prepare(wanted)
        let known = numbers
        let (found, changes) = try await pool.transaction { session throws(PostgresError) in
            var transaction = PostgresHistoryTransaction(session, work, numbers: known)
            try await transaction.run()
            return (transaction.numbers, transaction.changes)
        }
        numbers = found
        knownChanges.merge(changes) { $1 }
    }
}

/// The data of one subject in a batch.
struct SubjectWork: Sendable {
    var samples: [HistorySamples] = []
    var buckets: [HistoryBucket] = []
    var state: HistorySubjectState?
}

extension PostgresSessioning {
    /// Runs a statement with parameters in text format.
    func query(_ text: String, _ parameters: String...) async throws(PostgresError) -> PostgresResult {
        try await query(PostgresStatement(text, parameters: parameters.map { .text($0) }))
    }

    /// Runs a statement.
    func query(_ statement: PostgresStatement) async throws(PostgresError) -> PostgresResult {
        do {
            return try await run(statement)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.cancelled, "\(error)")
        }
    }
}
