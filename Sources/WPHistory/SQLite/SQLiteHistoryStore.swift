// SPDX-License-Identifier: MIT

import Dispatch
package import WPLogging
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps a history in one SQLite file.
///
/// One connection writes and checkpoints; another, opened at the first query, only reads, so that a query never waits for
/// a write. Both run on queues of their own. A crash at any moment leaves the last batch or the one before it.
package final class SQLiteHistoryStore: HistoryStore {
    /// Where and how to keep it.
    package struct Configuration: Sendable, Hashable {
        /// The path of the database; its directory must exist. SQLite puts two files beside it while it is open.
        package var path: String
        /// Whether checkpoints wait for the disk. Without, a crash of the computer may damage the file.
        package var syncWrites: Bool
        /// The most pages of 4 KiB, for tests of a full disk.
        package var maxPages: Int?

        /// Creates a configuration.
        package init(path: String, syncWrites: Bool = true) {
            self.path = path
            self.syncWrites = syncWrites
        }
    }

    /// The name of the file in a data directory.
    package static let fileName = "history.db"

    private let writer: SQLiteWriter
    private let reader: SQLiteReader

    /// Opens a history, or makes a new one. A damaged file is kept aside under another name, reported, and replaced.
    /// - Throws: ``HistoryStoreError``: `locked` when another process writes to it, `foreign` when the file is not ours.
    package static func open(_ configuration: Configuration, logger: Logger) async throws -> SQLiteHistoryStore {
        let writer = SQLiteWriter(configuration, logger)
        try await writer.open()
        return SQLiteHistoryStore(writer, SQLiteReader(configuration.path))
    }

    private init(_ writer: SQLiteWriter, _ reader: SQLiteReader) {
        self.writer = writer
        self.reader = reader
    }

    /// Saves a batch in one transaction.
    package func write(_ batch: HistoryBatch) async throws {
        try await repairing { try await self.writer.write(batch) }
    }

    /// Every subject.
    package func subjects() async throws -> [HistorySubjectState] {
        let subjects = try await repairing { try await self.reader.subjects() }
        // A history asks for them when it starts, and perhaps for nothing else later.
        await reader.close()
        return subjects
    }

    /// Reads the buckets of a subject.
    package func read(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        into reduction: HistoryReduction
    ) async throws {
        try await repairing { try await self.reader.read(of: subject, from: from, to: to, into: reduction) }
    }

    /// Removes old buckets, and gives their space back.
    package func prune(before: Int64, limit: Int) async throws -> Int {
        try await repairing { try await self.writer.prune(before: before, limit: limit) }
    }

    /// How much there is.
    package func statistics() async throws -> HistoryStatistics {
        try await repairing { try await self.reader.statistics() }
    }

    /// Rewrites the file without the space that removed buckets left.
    package func vacuum() async throws {
        try await writer.vacuum()
    }

    /// Checkpoints and closes the file, and releases it.
    package func close() async {
        await reader.close()
        await writer.close()
    }

    /// When the file turns out to be damaged, it is replaced and the work tried once more.
    private func repairing<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as HistoryStoreError where error.code == .damaged {
            await reader.close()
            try await writer.replace(error)
            return try await work()
        }
    }
}

/// The connection that writes.
actor SQLiteWriter {
    private let executor = QueueExecutor("winpower-history-write", qos: .utility)
    private let configuration: SQLiteHistoryStore.Configuration
    private let logger: Logger
    private var connection: SQLiteConnection?
    private var lock: HistoryLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ configuration: SQLiteHistoryStore.Configuration, _ logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    func open() throws(HistoryStoreError) {
        if lock == nil { lock = try HistoryLock(configuration.path + ".lock") }
        do throws(HistoryStoreError) {
            connection = try SQLiteHistoryFile.openWriter(configuration)
        } catch {
            guard error.code == .damaged else {
                close()
                throw error
            }
            try replace(error)
        }
    }

    /// Keeps the damaged file aside and starts a new one, unless that has been done meanwhile.
    func replace(_ error: HistoryStoreError) throws(HistoryStoreError) {
        if let connection, (try? connection.text("PRAGMA quick_check(1)")) == "ok" { return }
        connection = nil
        let aside = try SQLiteHistoryFile.setAside(configuration.path, at: Int64(Date().timeIntervalSince1970))
        logger.error(
            "The history is damaged; a new one is begun",
            ["error": .string(error.message), "kept_as": .string(aside)]
        )
        connection = try SQLiteHistoryFile.openWriter(configuration)
    }

    func write(_ batch: HistoryBatch) throws(HistoryStoreError) {
        let connection = try opened()
        try connection.transaction { () throws(HistoryStoreError) in
            var numbers: [HistorySubject: Int64] = [:]
            for state in batch.subjects { numbers[state.subject] = try save(state, connection) }
            for (subject, bucket) in batch.buckets {
                let number: Int64
                if let known = numbers[subject] {
                    number = known
                } else {
                    number = try self.number(of: subject, connection)
                    numbers[subject] = number
                }
                try save(bucket, number, connection)
            }
        }
    }

    func prune(before: Int64, limit: Int) throws(HistoryStoreError) -> Int {
        let connection = try opened()
        var removed = 0
        try connection.transaction { () throws(HistoryStoreError) in
            var numbers: [Int64] = []
            let all = try connection.statement("SELECT id FROM subject ORDER BY id")
            while try all.next() { numbers.append(all.int64(0)) }
            all.reset()
            let remove = try connection.statement(
                "DELETE FROM bucket WHERE subject = ?1 AND start < ?2 AND start IN "
                    + "(SELECT start FROM bucket WHERE subject = ?1 AND start < ?2 ORDER BY start LIMIT ?3)"
            )
            for number in numbers where removed < limit {
                remove.bind(1, number)
                remove.bind(2, before)
                remove.bind(3, Int64(limit - removed))
                try remove.run()
                removed += connection.changes
            }
            guard removed < limit else { return }
            let forget = try connection.statement(
                "DELETE FROM subject WHERE last_sample < ?1 "
                    + "AND NOT EXISTS (SELECT 1 FROM bucket WHERE bucket.subject = subject.id)"
            )
            forget.bind(1, before)
            try forget.run()
        }
        if removed > 0 {
            let statement = try connection.statement("PRAGMA incremental_vacuum(256)")
            try statement.run()
        }
        return removed
    }

    func vacuum() throws(HistoryStoreError) {
        try opened().execute("VACUUM")
        _ = try opened().text("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func close() {
        connection = nil
        lock?.release()
        lock = nil
    }

    private func opened() throws(HistoryStoreError) -> SQLiteConnection {
        if let connection { return connection }
        // A replacement that failed is tried again.
        guard lock != nil else {
            throw HistoryStoreError(code: .failed, message: "the history \(configuration.path) is closed")
        }
        let connection = try SQLiteHistoryFile.openWriter(configuration)
        self.connection = connection
        return connection
    }

    private func save(
        _ state: HistorySubjectState,
        _ connection: SQLiteConnection
    ) throws(HistoryStoreError) -> Int64 {
        let statement = try connection.statement(
            "INSERT INTO subject (kind, site, name, last_sample, counters, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
                + "ON CONFLICT (kind, site, name) DO UPDATE SET last_sample = ?4, counters = ?5, document = ?6 "
                + "RETURNING id"
        )
        defer { statement.reset() }
        bind(state.subject, statement)
        statement.bind(4, state.lastSample)
        statement.bind(5, CounterBytes.bytes(state.counters))
        statement.bind(6, state.document)
        guard try statement.next() else { throw connection.failure("writing") }
        let number = statement.int64(0)
        while try statement.next() {}
        return number
    }

    private func number(
        of subject: HistorySubject,
        _ connection: SQLiteConnection
    ) throws(HistoryStoreError) -> Int64 {
        let known = try connection.statement("SELECT id FROM subject WHERE kind = ?1 AND site = ?2 AND name = ?3")
        bind(subject, known)
        let number = try known.next() ? known.int64(0) : nil
        known.reset()
        if let number { return number }
        return try save(HistorySubjectState(subject: subject, lastSample: 0), connection)
    }

    private func save(
        _ bucket: HistoryBucket,
        _ number: Int64,
        _ connection: SQLiteConnection
    ) throws(HistoryStoreError) {
        var bucket = bucket
        let known = try connection.statement(
            "SELECT start, seconds, samples, quantities FROM bucket WHERE subject = ?1 AND start = ?2"
        )
        known.bind(1, number)
        known.bind(2, bucket.start)
        if try known.next(), var stored = HistoryBucket(known) {
            stored.merge(bucket)
            bucket = stored
        }
        known.reset()
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO bucket (subject, start, seconds, samples, quantities) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        statement.bind(1, number)
        statement.bind(2, bucket.start)
        statement.bind(3, bucket.seconds)
        statement.bind(4, Int64(bucket.samples))
        statement.bind(5, bucket.aggregateBytes)
        try statement.run()
    }

    private func bind(_ subject: HistorySubject, _ statement: SQLiteStatement) {
        statement.bind(1, subject.kind.rawValue)
        statement.bind(2, subject.site)
        statement.bind(3, subject.name)
    }
}

extension HistoryBucket {
    /// Reads a row of start, seconds, samples and quantities; nil when it is damaged.
    init?(_ row: SQLiteStatement) {
        let (start, seconds, samples) = (row.int64(0), row.int64(1), row.int64(2))
        let bucket = row.withBytes(3) {
            HistoryBucket(start: start, seconds: seconds, samples: Int(clamping: samples), bytes: $0)
        }
        guard let bucket else { return nil }
        self = bucket
    }
}
