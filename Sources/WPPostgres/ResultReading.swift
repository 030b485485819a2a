// SPDX-License-Identifier: MIT

import CPostgres

/// The results of one statement as they arrive.
struct ResultReading {
    private let maximumRows: Int
    private let maximumBytes: Int
    private let form: PostgresStatement.Form
    private var result: PostgresResult?
    private var bytes = 0
    /// Bytes received since the last row.
    private var received = 0
    private var error: PostgresError?

    init(_ statement: PostgresStatement) {
        maximumRows = statement.maximumRows
        maximumBytes = statement.maximumBytes
        form = statement.form
    }

    /// Counts bytes that are about to be read.
    /// - Throws: if one row exceeds the limit of a result.
    mutating func receive(_ count: Int) throws(PostgresError) {
        received += count
        if received > maximumBytes { throw sizeFault }
    }

    private var sizeFault: PostgresError {
        PostgresError(.limit, "the result has more than the \(maximumBytes >> 20) MiB allowed: aggregate in the query")
    }

    /// Processes one libpq result: a row, the end, or an error.
    /// - Throws: if a limit is exceeded.
    mutating func take(_ pointer: OpaquePointer, _ functions: cpostgres_functions) throws(PostgresError) {
        received = 0
        switch functions.resultStatus(pointer) {
        case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            try takeRows(pointer, functions)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            throw PostgresError(.statement, "COPY gives no result set: use SELECT")
        case PGRES_EMPTY_QUERY:
            error = PostgresError(.statement, "the statement is empty")
        default:
            error = Self.error(pointer, functions)
        }
    }

    private mutating func takeRows(_ pointer: OpaquePointer, _ functions: cpostgres_functions) throws(PostgresError) {
        let count = functions.nfields(pointer)
        if result == nil {
            result = PostgresResult(
                columns: (0..<count).map { column in
                    let name = functions.fname(pointer, column).map { String(cString: $0) } ?? ""
                    return PostgresColumn(name, typeID: UInt32(functions.ftype(pointer, column)))
                }
            )
        }
        for row in 0..<functions.ntuples(pointer) {
            guard (result?.rowCount ?? 0) < maximumRows else {
                throw PostgresError(
                    .limit,
                    "the result has more than the \(maximumRows) rows allowed: aggregate in the query"
                )
            }
            for column in 0..<count { bytes += Int(functions.getlength(pointer, row, column)) }
            guard bytes <= maximumBytes else { throw sizeFault }
            let isValid = result?.append(form, Int(count)) { column in
                let column = Int32(column)
                guard functions.getisnull(pointer, row, column) == 0,
                    let start = functions.getvalue(pointer, row, column)
                else { return nil }
                return UnsafeRawBufferPointer(start: start, count: Int(functions.getlength(pointer, row, column)))
            }
            guard isValid != false else {
                throw PostgresError(
                    .encoding,
                    "a value is not UTF-8: convert it in the query, or fix the encoding of the database"
                )
            }
        }
    }

    /// The whole result.
    /// - Throws: the server's error, even after rows.
    func finish() throws(PostgresError) -> PostgresResult {
        if let error { throw error }
        return result ?? PostgresResult(columns: [])
    }

    private static func error(_ pointer: OpaquePointer, _ functions: cpostgres_functions) -> PostgresError {
        let field = { (code: Unicode.Scalar) in
            functions.resultErrorField(pointer, Int32(code.value)).map { String(cString: $0) }
        }
        guard let sqlState = field("C") else {
            let text = functions.resultErrorMessage(pointer).map { String(cString: $0) } ?? ""
            return PostgresError(.connectionLost, PostgresSession.oneLine(text))
        }
        var message = field("M") ?? "the statement failed"
        // The server's detail may quote data, so it is omitted.
        if let hint = field("H") { message += "; \(hint)" }
        return PostgresError(PostgresError.code(of: sqlState), message, sqlState: sqlState)
    }
}
