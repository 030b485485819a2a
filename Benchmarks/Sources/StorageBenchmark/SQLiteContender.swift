// SPDX-License-Identifier: MIT

import CSQLiteLinked
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// SQLite in WAL mode with `synchronous=FULL`: one transaction per cycle, one prepared statement, one row per device.
actor SQLiteContender: Contender {
    static let name = "SQLite, WAL, FULL"
    /// `SQLITE_TRANSIENT`: SQLite copies the text.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private let executor = OwnQueue()
    private let database: OpaquePointer
    private let upsert: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            throw Failure(description: "cannot open \(path)")
        }
        database = handle
        let setUp = """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
            CREATE TABLE energy (source TEXT, device TEXT, joules REAL, compensation REAL, metered REAL, gap REAL,
                last_unix_ns INTEGER, last_watts REAL, PRIMARY KEY (source, device)) WITHOUT ROWID;
            """
        guard sqlite3_exec(handle, setUp, nil, nil, nil) == SQLITE_OK else { throw Self.failure(handle) }
        let sql = """
            INSERT INTO energy VALUES ('', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET joules=excluded.joules,
                compensation=excluded.compensation, metered=excluded.metered, gap=excluded.gap,
                last_unix_ns=excluded.last_unix_ns, last_watts=excluded.last_watts
            """
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw Self.failure(handle)
        }
        upsert = statement
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func save(_ records: [EnergyRecord]) async throws {
        guard sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else {
            throw Self.failure(database)
        }
        for record in records {
            sqlite3_bind_text(upsert, 1, record.key.device.rawValue, -1, Self.transient)
            sqlite3_bind_double(upsert, 2, record.total.joules)
            sqlite3_bind_double(upsert, 3, record.compensationJoules)
            sqlite3_bind_double(upsert, 4, record.total.meteredSeconds)
            sqlite3_bind_double(upsert, 5, record.total.gapSeconds)
            let nanoseconds = (record.lastSample?.wall.timeIntervalSince1970 ?? 0) * 1e9
            sqlite3_bind_int64(upsert, 6, Int64(nanoseconds))
            sqlite3_bind_double(upsert, 7, record.lastSample?.watts ?? 0)
            guard sqlite3_step(upsert) == SQLITE_DONE else { throw Self.failure(database) }
            sqlite3_reset(upsert)
        }
        guard sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK else { throw Self.failure(database) }
    }

    func joules() async throws -> [String: Double] {
        var query: OpaquePointer?
        guard sqlite3_prepare_v2(database, "SELECT device, joules FROM energy", -1, &query, nil) == SQLITE_OK else {
            throw Self.failure(database)
        }
        defer { sqlite3_finalize(query) }
        var found: [String: Double] = [:]
        while sqlite3_step(query) == SQLITE_ROW {
            guard let device = sqlite3_column_text(query, 0) else { continue }
            found[String(cString: device)] = sqlite3_column_double(query, 1)
        }
        return found
    }

    private static func failure(_ database: OpaquePointer) -> Failure {
        Failure(description: "SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }
}
