// SPDX-License-Identifier: MIT

public import WPCore
public import WPLogging

extension History {
    /// The location of a history.
    public enum Location: Sendable, Hashable {
        /// The SQLite file `history.db` in an existing directory, which only one program at a time can write.
        /// - Parameters:
        ///   - syncWrites: whether writes wait for the disk. Otherwise, a crash of the machine may damage the file.
        ///   - filePermissions: the permission bits of new files.
        case directory(String, syncWrites: Bool = true, filePermissions: UInt16 = 0o644)
        /// The URL of a PostgreSQL database, including the password. Several programs may share the database.
        case database(Secret)
        /// The memory of the process.
        case memory
    }

    /// Opens or creates a history, and resumes from its content. libsqlite3 and libpq are loaded on first use. An
    /// unreachable database is retried later, and samples stay in memory meanwhile.
    /// - Throws: ``HistoryStoreError``: `library` if the library is not installed, `locked` if another process writes
    ///   to the file, `foreign` if another program or a later version wrote the content.
    public static func open(
        _ location: Location,
        configuration: Configuration = Configuration(),
        timeSource: any TimeSource = .system,
        logger: Logger = .silent
    ) async throws -> History {
        let store = try await store(location, timeSource, logger)
        do {
            return try await History(store, configuration: configuration, timeSource: timeSource, logger: logger)
        } catch {
            await store.close()
            throw error
        }
    }

    private static func store(
        _ location: Location,
        _ timeSource: any TimeSource,
        _ logger: Logger
    ) async throws -> any HistoryStore {
        switch location {
        case .directory(let directory, let syncWrites, let filePermissions):
            let path = directory + "/" + SQLiteHistoryStore.fileName
            return try await SQLiteHistoryStore.open(
                .init(path: path, syncWrites: syncWrites, filePermissions: filePermissions),
                timeSource: timeSource,
                logger: logger
            )
        case .database(let url):
            return try PostgresHistoryStore.open(url, timeSource: timeSource, logger: logger)
        case .memory: return MemoryHistoryStore()
        }
    }
}
