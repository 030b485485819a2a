// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging

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
        /// The permissions of its files, whatever the umask. Opened by the superuser, they belong to the directory's owner.
        package var filePermissions: UInt16
        /// The most pages of 4 KiB, for tests of a full disk.
        package var maxPages: Int?

        /// Creates a configuration.
        package init(path: String, syncWrites: Bool = true, filePermissions: UInt16 = 0o644) {
            self.path = path
            self.syncWrites = syncWrites
            self.filePermissions = filePermissions
        }
    }

    /// The name of the file in a data directory.
    package static let fileName = "history.db"

    let writer: SQLiteWriter
    let reader: SQLiteReader
    private let logger: Logger

    /// Opens a history, or makes a new one. A damaged file is kept aside under another name, reported, and replaced.
    /// - Parameter space: says how much space there is where a file is.
    /// - Throws: ``HistoryStoreError``: `locked` when another process writes to it, `foreign` when the file is not ours.
    package static func open(
        _ configuration: Configuration,
        space: @escaping @Sendable (String) -> FileSystemSpace? = FileSystemSpace.of,
        logger: Logger
    ) async throws -> SQLiteHistoryStore {
        let writer = SQLiteWriter(configuration, SpaceReserve(space), logger)
        try await writer.open()
        return SQLiteHistoryStore(writer, SQLiteReader(configuration.path), logger)
    }

    private init(_ writer: SQLiteWriter, _ reader: SQLiteReader, _ logger: Logger) {
        self.writer = writer
        self.reader = reader
        self.logger = logger
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

    /// Removes buckets that start after a moment, which is that of a clock that was ahead. The growth of counters in them goes
    /// to the last bucket before.
    /// - Returns: how many.
    package func removeFuture(after time: Int64) async throws -> Int {
        try await repairing { try await self.writer.removeFuture(after: time) }
    }

    /// Removes a subject with all its buckets.
    package func remove(_ subject: HistorySubject) async throws -> Bool {
        try await repairing { try await self.writer.remove(subject) }
    }

    /// The time by which points grow old.
    package func retentionTime() async throws -> Double? {
        try await repairing { try await self.writer.retentionTime() }
    }

    /// Stores the time by which points grow old.
    package func agree(onRetentionTime time: Double) async throws -> Double {
        try await repairing { try await self.writer.save(retentionTime: time) }
        return time
    }

    /// How much there is.
    package func statistics() async throws -> HistoryStatistics {
        try await repairing { try await self.reader.statistics() }
    }

    /// Rewrites the file without the space that removed buckets left.
    package func vacuum() async throws {
        try await writer.vacuum()
    }

    /// How often the file, or the lock beside it, was removed or replaced while it was open.
    package var replacements: Int { writer.replacements.load(ordering: .relaxed) }

    /// Checkpoints and closes the file, and releases it.
    package func close() async {
        do {
            try await repairing { try await self.writer.confirm() }
        } catch {
            logger.error("The history could not be written at its end", ["error": .describing(error)])
        }
        await reader.close()
        await writer.close()
    }

    /// When the file turns out to be damaged, it is replaced and the work tried once more. A file that was removed or
    /// replaced is written again from the open one.
    func repairing<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as HistoryStoreError where error.code == .damaged {
            await reader.close()
            try await writer.replace(error)
        } catch let error as HistoryStoreError where error.code == .replaced {
            // Its connection would keep SQLite from removing the files beside the database.
            await reader.close()
            try await writer.recover()
        }
        return try await work()
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
