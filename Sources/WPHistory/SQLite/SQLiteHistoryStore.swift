// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPLogging

/// A history in one SQLite file.
///
/// One connection writes and checkpoints; another, opened on the first query, only reads, so that a query never waits
/// for a write. Each has its own queue. After a crash, the file ends with the last batch or the one before.
package final class SQLiteHistoryStore: HistoryStore {
    /// The configuration of the store.
    package struct Configuration: Sendable, Hashable {
        /// The path of the database; its directory must exist. SQLite keeps two files next to it while it is open.
        package var path: String
        /// Whether checkpoints wait for the disk. Otherwise, a crash of the machine may damage the file.
        package var syncWrites: Bool
        /// The permissions of its files, regardless of the umask. If root opens the store, its files belong to the
        /// directory's owner.
        package var filePermissions: UInt16
        /// The maximum number of 4 KiB pages, for tests of a full disk.
        package var maxPages: Int?

        /// Creates a configuration.
        package init(path: String, syncWrites: Bool = true, filePermissions: UInt16 = 0o644) {
            self.path = path
            self.syncWrites = syncWrites
            self.filePermissions = filePermissions
        }
    }

    /// The file name in a data directory.
    package static let fileName = "history.db"

    let writer: SQLiteWriter
    let reader: SQLiteReader
    private let logger: Logger

    /// Opens or creates a history. A damaged file is renamed, reported, and replaced.
    /// - Parameters:
    ///   - timeSource: the clock for the name of a renamed file.
    ///   - space: returns the available space at a path.
    /// - Throws: ``HistoryStoreError``: `locked` if another process writes to it, `foreign` for a file of another
    ///   program.
    package static func open(
        _ configuration: Configuration,
        timeSource: any TimeSource = .system,
        space: @escaping @Sendable (String) -> FileSystemSpace? = FileSystemSpace.of,
        logger: Logger
    ) async throws -> SQLiteHistoryStore {
        let writer = SQLiteWriter(
            configuration,
            reserve: SpaceReserve(space),
            timeSource: timeSource,
            logger: logger
        )
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
        // A history queries them at startup, and perhaps never queries again.
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

    /// Removes old buckets and releases their space.
    package func prune(before: Int64, limit: Int) async throws -> Int {
        try await repairing { try await self.writer.prune(before: before, limit: limit) }
    }

    /// Removes buckets that start after a time, which come from a clock that was ahead. Moves their counter increases
    /// to the last bucket before that time.
    /// - Returns: their number.
    package func removeFuture(after time: Int64) async throws -> Int {
        try await repairing { try await self.writer.removeFuture(after: time) }
    }

    /// Removes a subject with all its buckets.
    package func remove(_ subject: HistorySubject) async throws -> Bool {
        try await repairing { try await self.writer.remove(subject) }
    }

    /// The retention time.
    package func retentionTime() async throws -> Double? {
        try await repairing { try await self.writer.retentionTime() }
    }

    /// Stores the retention time.
    package func agree(onRetentionTime time: Double) async throws -> Double {
        try await repairing { try await self.writer.save(retentionTime: time) }
        return time
    }

    /// The statistics of the content.
    package func statistics() async throws -> HistoryStatistics {
        try await repairing { try await self.reader.statistics() }
    }

    /// Rewrites the file without the free space of removed buckets.
    package func vacuum() async throws {
        try await writer.vacuum()
    }

    /// How often the file or its lock was removed or replaced while open.
    package var replacements: Int { writer.replacements.load(ordering: .relaxed) }

    /// Checkpoints and closes the file, and releases the lock.
    package func close() async {
        do {
            try await repairing { try await self.writer.confirm() }
        } catch {
            logger.error("The history could not be saved at shutdown", ["error": .describing(error)])
        }
        await reader.close()
        await writer.close()
    }

    /// If the file is damaged, replaces it and retries once. If it was removed or replaced, saves the content of the
    /// open file and retries once.
    func repairing<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as HistoryStoreError where error.code == .damaged {
            await reader.close()
            try await writer.replace(error)
        } catch let error as HistoryStoreError where error.code == .replaced {
            // The reader's connection would keep SQLite from removing the files next to the database.
            await reader.close()
            try await writer.recover()
        }
        return try await work()
    }
}

extension HistoryBucket {
    /// Reads a row of start, seconds, samples and quantities; nil if damaged.
    init?(_ row: SQLiteStatement) {
        let (start, seconds, samples) = (row.int64(0), row.int64(1), row.int64(2))
        let bucket = row.withBytes(3) {
            HistoryBucket(start: start, seconds: seconds, samples: Int(clamping: samples), bytes: $0)
        }
        guard let bucket else { return nil }
        self = bucket
    }
}
