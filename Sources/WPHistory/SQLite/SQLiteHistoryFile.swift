// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The database file: its schema, and the handling of unusable files. All functions block.
enum SQLiteHistoryFile {
    /// "WPhi", which identifies our files.
    static let applicationID: Int64 = 0x5750_6869
    static let version: Int64 = 1
    /// The suffixes of the files that SQLite keeps next to the database.
    static let companions = ["-wal", "-shm"]
    /// The maximum size of a file that is checked if it was not closed properly, in bytes. A check takes up to about a
    /// second.
    static let checkedBytes = 256 << 20

    private static let schema = """
        CREATE TABLE subject (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            site TEXT NOT NULL,
            name TEXT NOT NULL,
            last_sample REAL NOT NULL,
            counters BLOB NOT NULL,
            document BLOB NOT NULL,
            stream INTEGER NOT NULL DEFAULT 0,
            sequence INTEGER NOT NULL DEFAULT 0,
            UNIQUE (kind, site, name)
        ) STRICT;
        CREATE TABLE clock (
            id INTEGER PRIMARY KEY CHECK (id = 0),
            retention REAL NOT NULL
        ) STRICT;
        CREATE TABLE bucket (
            subject INTEGER NOT NULL,
            start INTEGER NOT NULL,
            seconds INTEGER NOT NULL,
            samples INTEGER NOT NULL,
            quantities BLOB NOT NULL,
            PRIMARY KEY (subject, start)
        ) STRICT, WITHOUT ROWID;
        """

    private static let additions = """
        ALTER TABLE subject ADD COLUMN stream INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE subject ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 0), retention REAL NOT NULL) STRICT;
        """

    /// Whether a file has the columns and the table that were added after the first version.
    static func hasIdentities(_ connection: SQLiteConnection) throws(HistoryStoreError) -> Bool {
        try connection.number("SELECT count(*) FROM pragma_table_info('subject') WHERE name = 'sequence'") > 0
    }

    /// The event table, added to a file of any version with its first events: earlier versions of this program ignore
    /// it.
    static let eventSchema = """
        CREATE TABLE IF NOT EXISTS event (
            subject INTEGER NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            start INTEGER NOT NULL,
            finish INTEGER,
            PRIMARY KEY (subject, kind, text, start)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS event_start ON event (start);
        """

    /// Opens the writing connection, and creates the schema in a new file.
    /// - Throws: ``HistoryStoreError``: `damaged` for an invalid database, `foreign` for a file of another program.
    static func openWriter(
        _ configuration: SQLiteHistoryStore.Configuration
    ) throws(HistoryStoreError) -> SQLiteConnection {
        let wasOpen = size(configuration.path + companions[0]) ?? 0 > 0
        HistoryFileAccess(permissions: configuration.filePermissions).prepare(configuration.path)
        let connection = try SQLiteConnection(configuration.path, isReader: false)
        // 256 KiB suffice for one write; the default of 2 MiB would stay resident.
        try connection.execute("PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
        let owner = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
        guard tables == 0 || owner == applicationID else {
            throw HistoryStoreError(
                code: .foreign,
                message: "\(configuration.path) is a database of another program: move it, or choose another directory"
            )
        }
        guard version <= Self.version else {
            throw HistoryStoreError(
                code: .foreign,
                message:
                    "\(configuration.path) has format \(version) of a later version of this program, which reads up "
                    + "to \(Self.version): use that version, or move the file"
            )
        }
        if tables == 0 {
            // Takes effect only before the first table is created.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        _ = try connection.text("PRAGMA journal_mode = WAL")
        try connection.execute(
            "PRAGMA synchronous = \(configuration.syncWrites ? "NORMAL" : "OFF"); PRAGMA journal_size_limit = 4194304"
        )
        if let pages = configuration.maxPages { try connection.execute("PRAGMA max_page_count = \(pages)") }
        if tables == 0 {
            try connection.transaction { () throws(HistoryStoreError) in
                try connection.execute(schema)
                try connection.execute(
                    "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(Self.version)"
                )
            }
        } else if wasOpen, size(configuration.path) ?? 0 <= checkedBytes {
            let finding = try connection.text("PRAGMA quick_check(1)")
            guard finding == "ok" else {
                throw HistoryStoreError(code: .damaged, message: "\(configuration.path) is damaged: \(finding)")
            }
        }
        if try !hasIdentities(connection) {
            // Earlier versions ignore the additions.
            try connection.transaction { () throws(HistoryStoreError) in
                try connection.execute(additions)
                try connection.execute(
                    "UPDATE subject SET sequence = CAST(round(last_sample * 1000) AS INTEGER) WHERE abs(last_sample) < 1e12"
                )
            }
        }
        return connection
    }

    /// Opens a read-only connection.
    static func openReader(_ path: String) throws(HistoryStoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path, isReader: true)
        try connection.execute("PRAGMA query_only = 1; PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 0")
        guard try connection.number("PRAGMA application_id") == applicationID else {
            throw HistoryStoreError(code: .foreign, message: "\(path) is not a history of this program")
        }
        return connection
    }

    /// Renames a damaged file and its companions.
    /// - Returns: the new name of the file.
    static func setAside(_ path: String, at seconds: Int64) throws(HistoryStoreError) -> String {
        let aside = try freeName(path, "damaged", at: seconds)
        try move(path, to: aside)
        for companion in companions { _ = rename(path + companion, aside + companion) }
        return aside
    }

    /// An unused name next to a history.
    static func freeName(_ path: String, _ why: String, at seconds: Int64) throws(HistoryStoreError) -> String {
        for number in 0..<100 {
            let name = "\(path).\(why)-\(seconds)" + (number == 0 ? "" : "-\(number)")
            if size(name) == nil { return name }
        }
        throw HistoryStoreError(code: .failed, message: "there are 100 \(why) histories next to \(path): remove some")
    }

    static func move(_ path: String, to newPath: String) throws(HistoryStoreError) {
        guard rename(path, newPath) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw HistoryStoreError(code: .failed, message: "\(path) could not be renamed to \(newPath): \(reason)")
    }

    /// A file's size in bytes; nil if it does not exist.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
