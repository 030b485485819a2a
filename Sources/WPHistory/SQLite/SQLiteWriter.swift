// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore
import WPLogging
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The actor that owns the write connection.
actor SQLiteWriter {
    private let executor = QueueExecutor("winpower-history-write", qos: .utility)
    private let configuration: SQLiteHistoryStore.Configuration
    private let timeSource: any TimeSource
    private let logger: Logger
    private var connection: SQLiteConnection?
    /// The open files of the connection: the database and its companions.
    private var files: [String: FileIdentity] = [:]
    private var lock: HistoryLock?
    private var reserve: SpaceReserve
    /// How often the file or the lock was removed or replaced.
    nonisolated let replacements = Atomic(0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ configuration: SQLiteHistoryStore.Configuration,
        reserve: SpaceReserve,
        timeSource: any TimeSource,
        logger: Logger
    ) {
        self.configuration = configuration
        self.reserve = reserve
        self.timeSource = timeSource
        self.logger = logger
    }

    private func acquireLock() throws(HistoryStoreError) -> HistoryLock {
        try HistoryLock(configuration.path + ".lock", HistoryFileAccess(permissions: configuration.filePermissions))
    }

    private func openConnection() throws(HistoryStoreError) -> SQLiteConnection {
        let opened = try SQLiteHistoryFile.openWriter(configuration)
        connection = opened
        let paths = [configuration.path] + SQLiteHistoryFile.companions.map { configuration.path + $0 }
        files = paths.reduce(into: [:]) { $0[$1] = FileIdentity(path: $1) }
        return opened
    }

    func open() throws(HistoryStoreError) {
        if lock == nil { lock = try acquireLock() }
        do throws(HistoryStoreError) {
            _ = try openConnection()
        } catch {
            guard error.code == .damaged else {
                close()
                throw error
            }
            try replace(error)
        }
    }

    /// Renames the damaged file and creates a new one, unless that has been done already.
    func replace(_ error: HistoryStoreError) throws(HistoryStoreError) {
        // lint: a file that cannot be checked is damaged
        if let connection, (try? connection.text("PRAGMA quick_check(1)")) == "ok" { return }
        connection = nil
        let aside = try SQLiteHistoryFile.setAside(configuration.path, at: Int64(timeSource.now.secondsSince1970))
        logger.error(
            "The history is damaged; a new one was created",
            ["error": .string(error.message), "kept_as": .string(aside)]
        )
        _ = try openConnection()
    }

    // MARK: The file and its lock

    /// Checks that the open file and the lock are still those in the directory. Reacquires a lost lock.
    /// - Throws: ``HistoryStoreError``: `replaced` if the file was replaced or removed, `locked` if another process has
    ///   the lock.
    func confirm() throws(HistoryStoreError) {
        if let held = lock, !held.isCurrent {
            let taken = try acquireLock()
            held.release()
            lock = taken
            replacements.add(1, ordering: .relaxed)
            logger.warn(
                "The lock file of the history was removed or replaced; it was created and locked again",
                ["path": .string(configuration.path + ".lock")]
            )
        }
        guard connection != nil, FileIdentity(path: configuration.path) != files[configuration.path] else { return }
        throw HistoryStoreError(
            code: .replaced,
            message: "\(configuration.path) was removed or replaced while it was open, and could not be written again"
        )
    }

    /// Writes the content of the open file to a new one after the file was removed or replaced. If it was removed, the
    /// new file takes its name. If it was replaced, the new file gets another name, and the replacement is used.
    func recover() throws(HistoryStoreError) {
        let path = configuration.path
        guard connection != nil, FileIdentity(path: path) != files[path] else { return }
        let copy = try copyContent()
        connection = nil
        for companion in SQLiteHistoryFile.companions where files[path + companion] != nil {
            // SQLite would replay the log of the old file into the new one.
            if FileIdentity(path: path + companion) == files[path + companion] { _ = unlink(path + companion) }
        }
        replacements.add(1, ordering: .relaxed)
        if FileIdentity(path: path) == nil {
            try SQLiteHistoryFile.move(copy, to: path)
            logger.error(
                "The history file was removed while it was open; it was written again with its complete content",
                ["path": .string(path)]
            )
        } else {
            logger.error(
                "The history file was replaced while it was open; the new one is used, and the old content is kept",
                ["path": .string(path), "kept_as": .string(copy)]
            )
        }
        do throws(HistoryStoreError) {
            _ = try openConnection()
        } catch {
            guard error.code == .damaged else { throw error }
            try replace(error)
        }
    }

    /// Writes the complete content of the open file to a new one.
    private func copyContent() throws(HistoryStoreError) -> String {
        let path = configuration.path
        let copy = try SQLiteHistoryFile.freeName(path, "recovered", at: Int64(timeSource.now.secondsSince1970))
        do throws(HistoryStoreError) {
            let statement = try opened().statement("VACUUM INTO ?1")
            statement.bind(1, copy)
            try statement.run()
        } catch {
            _ = unlink(copy)
            throw HistoryStoreError(
                code: .replaced,
                message:
                    "\(path) was removed or replaced while it was open; it is kept open, and writing its content to "
                    + "\(copy) failed: \(error.message)"
            )
        }
        return copy
    }

    /// Checks that a write leaves enough free space for the energy totals.
    private func reserveSpace(_ batch: HistoryBatch, _ connection: SQLiteConnection) throws(HistoryStoreError) {
        // Each row may change its own table page and index page, first in the log.
        let rows = batch.buckets.count + batch.subjects.count
        try reserveSpace(rows * 8192 + batch.subjects.reduce(0) { $0 + $1.document.count }, connection)
    }

    func reserveSpace(_ needed: Int, _ connection: SQLiteConnection) throws(HistoryStoreError) {
        // A checkpoint may write the complete log to the database.
        let log = SQLiteHistoryFile.size(configuration.path + SQLiteHistoryFile.companions[0]) ?? 0
        if reserve.admits(needed + log, to: configuration.path) { return }
        if log > 0 {
            _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
            if reserve.admits(needed, to: configuration.path) { return }
        }
        throw HistoryStoreError(
            code: .full,
            message:
                "\(configuration.path) was not written: the remaining space of the file system is reserved for the energy "
                + "totals: free some space, or lower history.retention"
        )
    }

    // MARK: Content

    func write(_ batch: HistoryBatch) throws(HistoryStoreError) {
        try confirm()
        let connection = try opened()
        try reserveSpace(batch, connection)
        try connection.transaction { () throws(HistoryStoreError) in
            var numbers: [HistorySubject: Int64] = [:]
            for state in batch.subjects { numbers[state.subject] = try save(state, in: connection) }
            for (subject, bucket) in batch.buckets {
                let number =
                    if let known = numbers[subject] { known } else { try self.number(of: subject, in: connection) }
                numbers[subject] = number
                try save(bucket, of: number, in: connection)
            }
        }
    }

    func prune(before: Int64, limit: Int) throws(HistoryStoreError) -> Int {
        try confirm()
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
            try removeEvents(before: before, connection)
        }
        if removed > 0 {
            let statement = try connection.statement("PRAGMA incremental_vacuum(256)")
            try statement.run()
        }
        return removed
    }

    func removeFuture(after time: Int64) throws(HistoryStoreError) -> Int {
        try confirm()
        let connection = try opened()
        var removed = 0
        try connection.transaction { () throws(HistoryStoreError) in
            var future: [Int64: [HistoryBucket]] = [:]
            let rows = try connection.statement(
                "SELECT start, seconds, samples, quantities, subject FROM bucket WHERE start > ?1"
            )
            rows.bind(1, time)
            while try rows.next() {
                removed += 1
                if let bucket = HistoryBucket(rows) { future[rows.int64(4), default: []].append(bucket) }
            }
            rows.reset()
            let last = try connection.statement("SELECT max(start) FROM bucket WHERE subject = ?1 AND start <= ?2")
            for (number, buckets) in future {
                last.bind(1, number)
                last.bind(2, time)
                let start = try last.next() && !last.isNull(0) ? last.int64(0) : nil
                last.reset()
                guard let moved = HistoryBucket.growth(of: buckets, to: start) else { continue }
                try save(moved, of: number, in: connection)
            }
            for text in [
                "DELETE FROM bucket WHERE start > ?1", "UPDATE subject SET last_sample = ?1 WHERE last_sample > ?1",
            ] {
                let statement = try connection.statement(text)
                statement.bind(1, time)
                try statement.run()
            }
        }
        return removed
    }

    func retentionTime() throws(HistoryStoreError) -> Double? {
        let row = try opened().statement("SELECT retention FROM clock")
        defer { row.reset() }
        return try row.next() ? row.double(0) : nil
    }

    func save(retentionTime time: Double) throws(HistoryStoreError) {
        try confirm()
        let statement = try opened().statement("INSERT OR REPLACE INTO clock (id, retention) VALUES (0, ?1)")
        statement.bind(1, time)
        try statement.run()
    }

    func remove(_ subject: HistorySubject) throws(HistoryStoreError) -> Bool {
        try confirm()
        let connection = try opened()
        var existed = false
        try connection.transaction { () throws(HistoryStoreError) in
            guard let number = try knownNumber(of: subject, in: connection) else { return }
            // Subject numbers are reused, so all data of this subject must be removed.
            try connection.execute(SQLiteHistoryFile.eventSchema)
            for removal in [
                "DELETE FROM bucket WHERE subject = ?1", "DELETE FROM event WHERE subject = ?1",
                "DELETE FROM subject WHERE id = ?1",
            ] {
                let statement = try connection.statement(removal)
                statement.bind(1, number)
                try statement.run()
            }
            existed = true
        }
        return existed
    }

    func vacuum() throws(HistoryStoreError) {
        try confirm()
        try opened().execute("VACUUM")
        _ = try opened().text("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func close() {
        connection = nil
        lock?.release()
        lock = nil
    }

    func opened() throws(HistoryStoreError) -> SQLiteConnection {
        if let connection { return connection }
        // A failed replacement is retried.
        guard lock != nil else {
            throw HistoryStoreError(code: .failed, message: "the history \(configuration.path) is closed")
        }
        return try openConnection()
    }

    private func save(
        _ state: HistorySubjectState,
        in connection: SQLiteConnection
    ) throws(HistoryStoreError) -> Int64 {
        let statement = try connection.statement(
            "INSERT INTO subject (kind, site, name, last_sample, counters, document, stream, sequence) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (kind, site, name) DO UPDATE SET "
                + "last_sample = ?4, counters = ?5, document = ?6, stream = ?7, sequence = ?8 "
                + "RETURNING id"
        )
        defer { statement.reset() }
        bind(state.subject, to: statement)
        statement.bind(4, state.lastSample)
        statement.bind(5, CounterBytes.bytes(state.counters))
        statement.bind(6, state.document)
        statement.bind(7, state.identity.stream)
        statement.bind(8, state.identity.sequence)
        guard try statement.next() else { throw connection.failure("writing") }
        let number = statement.int64(0)
        while try statement.next() {}
        return number
    }

    /// The number of a subject, which is created if missing.
    func number(of subject: HistorySubject, in connection: SQLiteConnection) throws(HistoryStoreError) -> Int64 {
        if let number = try knownNumber(of: subject, in: connection) { return number }
        return try save(HistorySubjectState(subject: subject, lastSample: 0), in: connection)
    }

    private func knownNumber(
        of subject: HistorySubject,
        in connection: SQLiteConnection
    ) throws(HistoryStoreError) -> Int64? {
        let known = try connection.statement("SELECT id FROM subject WHERE kind = ?1 AND site = ?2 AND name = ?3")
        defer { known.reset() }
        bind(subject, to: known)
        return try known.next() ? known.int64(0) : nil
    }

    private func save(
        _ bucket: HistoryBucket,
        of number: Int64,
        in connection: SQLiteConnection
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

    private func bind(_ subject: HistorySubject, to statement: SQLiteStatement) {
        statement.bind(1, subject.kind.rawValue)
        statement.bind(2, subject.site)
        statement.bind(3, subject.name)
    }
}
