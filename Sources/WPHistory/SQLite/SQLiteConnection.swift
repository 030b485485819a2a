// SPDX-License-Identifier: MIT

import CSQLite

/// A connection to a database file with its prepared statements, used by its owner on one queue at a time.
final class SQLiteConnection {
    private let calls: CSQLiteCalls
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    let path: String

    /// Opens a file.
    /// - Parameter isReader: whether the connection is read-only; otherwise a missing file is created.
    init(_ path: String, isReader: Bool) throws(HistoryStoreError) {
        let calls = try SQLiteLibrary.shared().calls
        self.calls = calls
        self.path = path
        var handle: OpaquePointer?
        // The connection is used on one queue at a time, so it needs no mutex. A path is never interpreted as a URI.
        let flags =
            (isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX
        let status = calls.open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK, let handle else {
            let text = handle.flatMap { calls.errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
            if let handle { _ = calls.close_v2(handle) }
            throw Self.error(status, text, "opening", path)
        }
        self.handle = handle
        _ = calls.busy_timeout(handle, 5000)
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        _ = calls.close_v2(handle)
    }

    /// Runs statements without parameters or rows.
    func execute(_ sql: String) throws(HistoryStoreError) {
        let status = calls.exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure("changing") }
    }

    /// A prepared statement, ready to bind and step. Each text is prepared only once.
    func statement(_ sql: String) throws(HistoryStoreError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var handle: OpaquePointer?
        let status = calls.prepare_v3(self.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard status == SQLITE_OK, let handle else { throw failure("reading") }
        let statement = SQLiteStatement(handle, calls, self)
        statements[sql] = statement
        return statement
    }

    /// The number in the first row of a statement; 0 without a row.
    func number(_ sql: String) throws(HistoryStoreError) -> Int64 {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.next() ? statement.int64(0) : 0
    }

    /// The text in the first row of a statement; empty without a row.
    func text(_ sql: String) throws(HistoryStoreError) -> String {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.next() ? statement.text(0) : ""
    }

    /// Runs changes atomically.
    func transaction(_ work: () throws(HistoryStoreError) -> Void) throws(HistoryStoreError) {
        try execute("BEGIN IMMEDIATE")
        do throws(HistoryStoreError) {
            try work()
            try execute("COMMIT")
        } catch {
            // It may have been rolled back already, for example if the disk is full.
            // lint: the error that caused it is thrown
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The number of rows changed by the last statement.
    var changes: Int { Int(calls.changes(handle)) }

    /// The error reported by the last call.
    func failure(_ action: String) -> HistoryStoreError {
        Self.error(calls.extended_errcode(handle), calls.errmsg(handle).map { String(cString: $0) } ?? "", action, path)
    }

    private static func error(_ status: Int32, _ text: String, _ action: String, _ path: String) -> HistoryStoreError {
        let code: HistoryStoreError.Code
        let advice: String
        switch status & 0xFF {
        case SQLITE_FULL: (code, advice) = (.full, ": free some space, or lower history.retention")
        case SQLITE_CORRUPT, SQLITE_NOTADB: (code, advice) = (.damaged, "")
        case SQLITE_BUSY, SQLITE_LOCKED: (code, advice) = (.locked, ": another program holds it")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
            (code, advice) = (.failed, ": check the path and its permissions")
        default: (code, advice) = (.failed, "")
        }
        return HistoryStoreError(
            code: code,
            message: "\(action) the history in \(path) failed: \(text) (SQLite \(status))\(advice)"
        )
    }
}

/// A prepared statement of a ``SQLiteConnection``, which must outlive it. Bind, step through the rows, then reset.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let calls: CSQLiteCalls
    private unowned let connection: SQLiteConnection
    /// Makes SQLite copy bound values (SQLITE_TRANSIENT, which Swift does not import because it is a cast).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ handle: OpaquePointer, _ calls: CSQLiteCalls, _ connection: SQLiteConnection) {
        self.handle = handle
        self.calls = calls
        self.connection = connection
    }

    func finalize() {
        _ = calls.finalize(handle)
    }

    func reset() {
        _ = calls.reset(handle)
        _ = calls.clear_bindings(handle)
    }

    // Parameters are numbered from 1, columns from 0.

    func bind(_ index: Int32, _ value: Int64) { _ = calls.bind_int64(handle, index, value) }

    func bind(_ index: Int32, _ value: Double) { _ = calls.bind_double(handle, index, value) }

    // Swift passes a non-nil pointer for an empty string or array; SQLite would store NULL for a nil pointer.

    func bind(_ index: Int32, _ text: String) {
        _ = calls.bind_text(handle, index, text, Int32(text.utf8.count), Self.copied)
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) {
        _ = calls.bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copied)
    }

    /// Advances to the next row; false if there is none.
    func next() throws(HistoryStoreError) -> Bool {
        switch calls.step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = connection.failure("using")
            reset()
            throw error
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws(HistoryStoreError) {
        defer { reset() }
        while try next() {}
    }

    func int64(_ column: Int32) -> Int64 { calls.column_int64(handle, column) }

    func double(_ column: Int32) -> Double { calls.column_double(handle, column) }

    func text(_ column: Int32) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    func isNull(_ column: Int32) -> Bool { calls.column_type(handle, column) == SQLITE_NULL }

    /// The bytes of a column, valid until the next step.
    func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let start = calls.column_blob(handle, column)
        return body(
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(calls.column_bytes(handle, column)))
        )
    }
}
