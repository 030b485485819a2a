// SPDX-License-Identifier: MIT

package import WPCore
package import WPLogging
import WPModel
import WPPostgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A history in PostgreSQL, which several programs can share: each sample is counted once.
///
/// Creates tables on first use, and partitions in advance. Without a database connection, each call fails with
/// `unreachable`; the next one retries.
package final class PostgresHistoryStore: SharedHistoryStore {
    package let isShared = true

    let pool: PostgresPool
    let writer: PostgresHistoryWriter

    /// Loads libpq without opening a session.
    /// - Parameters:
    ///   - url: the database's address, with its password.
    ///   - orderLockTimeout: the lock timeout for clustering a day, in milliseconds.
    ///   - timeSource: the clock that determines which days are past.
    /// - Throws: ``HistoryStoreError``: `library` without libpq, `failed` for an invalid address.
    package static func open(
        _ url: Secret,
        orderLockTimeout: Int = 2000,
        timeSource: any TimeSource = .system,
        logger: Logger
    ) throws(HistoryStoreError) -> PostgresHistoryStore {
        do throws(PostgresError) {
            var connector = PostgresConnector(
                library: try PostgresLibrary(),
                address: try PostgresAddress(parsing: url)
            )
            connector.applicationName = "wpexporter history"
            connector.connectTimeout = .seconds(5)
            connector.isReadOnly = false
            let pool = PostgresPool(connector, .init(maximumSessions: 3), timeSource: timeSource, logger: logger)
            return PostgresHistoryStore(
                pool,
                PostgresHistoryWriter(pool, orderLockTimeout: orderLockTimeout, timeSource, logger)
            )
        } catch {
            throw .init(error, "opening")
        }
    }

    /// Why an address is invalid; nil if it is valid. Never quotes the address.
    package static func fault(_ url: Secret) -> String? {
        do throws(PostgresError) {
            _ = try PostgresAddress(parsing: url)
            return nil
        } catch {
            return error.message
        }
    }

    private init(_ pool: PostgresPool, _ writer: PostgresHistoryWriter) {
        self.pool = pool
        self.writer = writer
    }

    /// Saves a batch in one transaction.
    package func write(_ batch: HistoryBatch) async throws {
        try await HistoryStoreError.wrapping("saving") { try await writer.write(batch) }
    }

    /// Every subject, sorted.
    package func subjects() async throws -> [HistorySubjectState] {
        try await HistoryStoreError.wrapping("reading") {
            try await writer.prepare()
            return try await pool.run(
                PostgresStatement(
                    "SELECT kind, site, name, last_sample, counters, document, position FROM winpower_history_subject "
                        + "ORDER BY kind, site, name"
                )
            ).states
        }
    }

    /// The changes saved by other programs.
    package func changes() async throws -> [HistorySubjectState] {
        try await HistoryStoreError.wrapping("reading") { try await writer.changes() }
    }

    /// Reads the buckets of a subject.
    package func read(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        into reduction: HistoryReduction
    ) async throws {
        try await HistoryStoreError.wrapping("reading") {
            try await writer.prepare()
            reduction.begin()
            var next = max(from, await writer.horizon)
            while true {
                let page = try await page(of: subject, from: next, to: to)
                let (count, last) = page.withUnsafeBytes(reduction.addPacked)
                guard count == Self.pageRows, let last else { return }
                next = last + 1
            }
        }
    }

    /// The number of buckets per page.
    private static let pageRows = 20_000

    /// The buckets of a range, up to ``pageRows``, concatenated to one value by the server: separate rows would cost
    /// client and server more than the buckets themselves. See ``HistoryReduction/addPacked(_:)``.
    private func page(of subject: HistorySubject, from: Int64, to: Int64) async throws -> [UInt8] {
        let rows = try await pool.run(
            PostgresStatement(
                "SELECT string_agg(row, '') FROM (SELECT int8send(start) || int8send(seconds) || int8send(samples) || "
                    + "int4send(length(quantities)) || quantities AS row FROM winpower_history_bucket WHERE subject = "
                    + "(SELECT id FROM winpower_history_subject WHERE kind = $1 AND site = decode($2, 'hex') "
                    + "AND name = decode($3, 'hex')) AND start >= $4::bigint AND start < $5::bigint "
                    + "ORDER BY start LIMIT \(Self.pageRows)) AS page",
                parameters: [
                    .text(subject.kind.rawValue), .text(PostgresText.hex(subject.site.utf8)),
                    .text(PostgresText.hex(subject.name.utf8)), .text(String(from)), .text(String(to)),
                ],
                form: .binary
            )
        )
        return rows.bytes.first.flatMap(\.self) ?? []
    }

    /// Drops the partitions of old days, creates those of the coming days, and clusters those of past days. Old buckets
    /// in a remaining partition are hidden.
    package func prune(before: Int64, limit: Int) async throws -> Int {
        try await HistoryStoreError.wrapping("removing old parts of") {
            try await writer.prune(before: before)
            try await writer.order()
            return 0
        }
    }

    /// Removes buckets that start after a time, which come from a clock that was ahead. Moves their counter increases
    /// to the last bucket before that time.
    /// - Returns: their number.
    package func removeFuture(after time: Int64) async throws -> Int {
        try await HistoryStoreError.wrapping("removing a part of") { try await writer.removeFuture(after: time) }
    }

    /// Removes a subject with all its buckets, for all programs.
    package func remove(_ subject: HistorySubject) async throws -> Bool {
        try await HistoryStoreError.wrapping("removing a subject from") { try await writer.remove(subject) }
    }

    /// The retention time.
    package func retentionTime() async throws -> Double? {
        try await HistoryStoreError.wrapping("reading") { try await writer.retentionTime() }
    }

    /// Stores the retention time for all programs.
    package func agree(onRetentionTime time: Double) async throws -> Double {
        try await HistoryStoreError.wrapping("removing old parts of") { try await writer.agree(onRetentionTime: time) }
    }

    /// The statistics of the content.
    package func statistics() async throws -> HistoryStatistics {
        try await HistoryStoreError.wrapping("reading") {
            try await writer.prepare()
            let horizon = await writer.horizon
            let rows = try await pool.run(
                PostgresStatement(
                    "SELECT (SELECT count(*) FROM winpower_history_subject WHERE kind <> 'fleet'), count(*), min(start), max(start), "
                        + "(SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits "
                        + "WHERE inhparent = 'winpower_history_bucket'::regclass) FROM winpower_history_bucket "
                        + "WHERE start >= $1::bigint",
                    parameters: [.text(String(horizon))]
                )
            )
            guard let subjects = rows[0, 0].flatMap(Int.init), let buckets = rows[0, 1].flatMap(Int.init) else {
                throw HistoryStoreError(
                    code: .failed,
                    message: "the history's database returned a count that is not a number"
                )
            }
            return HistoryStatistics(
                subjects: subjects,
                buckets: buckets,
                first: rows[0, 2].flatMap(Int64.init),
                last: rows[0, 3].flatMap(Int64.init),
                bytes: rows[0, 4].flatMap(Int.init)
            )
        }
    }

    /// Closes the sessions.
    package func close() async {
        pool.close()
    }
}

extension HistoryStoreError {
    /// Converts a database error. Its message contains no passwords, because WPPostgres removes them from libpq's
    /// messages.
    init(_ error: PostgresError, _ action: String) {
        let code: Code
        switch error.code {
        case .libraryMissing: code = .library
        case .connect, .connectionLost, .timeout, .busy, .cancelled: code = .unreachable
        // The SQLSTATE disk_full.
        default: code = error.sqlState == "53100" ? .full : .failed
        }
        self.init(code: code, message: "\(action) the history in PostgreSQL failed: \(error)")
    }

    static func wrapping<Value: Sendable>(
        _ action: String,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as PostgresError {
            throw HistoryStoreError(error, action)
        }
    }
}

extension PostgresResult {
    /// The states in rows of kind, site, name, last_sample, counters, document and position, and optionally the age in
    /// seconds.
    var states: [HistorySubjectState] {
        (0..<rowCount).compactMap { row in
            guard let kind = self[row, 0].flatMap(HistorySubject.Kind.init) else { return nil }
            var state = HistorySubjectState(
                subject: HistorySubject(
                    kind: kind,
                    site: String(decoding: PostgresText.bytes(self[row, 1]), as: UTF8.self),
                    name: String(decoding: PostgresText.bytes(self[row, 2]), as: UTF8.self)
                ),
                lastSample: PostgresText.double(self[row, 3]),
                identity: PostgresText.bytes(self[row, 6]).withUnsafeBytes { HistoryPosition($0) }.identity,
                counters: PostgresText.bytes(self[row, 4]).withUnsafeBytes(CounterBytes.counters),
                document: PostgresText.bytes(self[row, 5])
            )
            if columns.count > 7 { state.age = self[row, 7].flatMap(Double.init).map { max(0, $0) } }
            return state
        }
    }

    /// The bucket in a row of subject, start, seconds, samples and quantities; nil if damaged.
    func bucket(_ row: Int) -> (subject: Int64, bucket: HistoryBucket)? {
        guard let subject = self[row, 0].flatMap(Int64.init), let start = self[row, 1].flatMap(Int64.init),
            let seconds = self[row, 2].flatMap(Int64.init), let samples = self[row, 3].flatMap(Int.init),
            let bucket = PostgresText.bytes(self[row, 4]).withUnsafeBytes({
                HistoryBucket(start: start, seconds: seconds, samples: samples, bytes: $0)
            })
        else { return nil }
        return (subject, bucket)
    }
}

extension HistoryReduction {
    /// Adds buckets that are packed into a single value: for each, in big endian, start, seconds and samples as 64-bit
    /// numbers, the length of the quantities as a 32-bit number, and the quantities. Ignores damaged ones.
    /// - Returns: their number, and the start of the last.
    func addPacked(_ bytes: UnsafeRawBufferPointer) -> (count: Int, last: Int64?) {
        var reader = BytesReader(bytes)
        var count = 0
        var last: Int64?
        while let start = reader.bigEndian(Int64.self), let seconds = reader.bigEndian(Int64.self),
            let samples = reader.bigEndian(Int64.self), let length = reader.bigEndian(UInt32.self),
            let quantities = reader.bytes(Int(length))
        {
            let bucket = HistoryBucket(
                start: start,
                seconds: seconds,
                samples: Int(clamping: samples),
                bytes: quantities
            )
            if let bucket { add(bucket) }
            count += 1
            last = start
        }
        return (count, last)
    }
}
