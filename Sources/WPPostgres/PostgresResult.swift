// SPDX-License-Identifier: MIT

/// A statement and its limits.
package struct PostgresStatement: Sendable, Hashable {
    /// A value of a parameter `$n`.
    package enum Parameter: Sendable, Hashable {
        /// NULL.
        case null
        /// A string whose type the server infers, as for a literal in quotes.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// A number with a fraction.
        case number(Double)
        /// A boolean.
        case boolean(Bool)

        /// The value as text; nil is NULL.
        var text: String? {
            switch self {
            case .null: nil
            case .text(let text): text
            case .integer(let value): String(value)
            case .number(let value): String(value)
            case .boolean(let value): value ? "t" : "f"
            }
        }

        /// The type OID: int4, int8, numeric, bool; 0 lets the server infer it.
        var typeID: UInt32 {
            switch self {
            case .null, .text: 0
            case .integer(let value): Int32(exactly: value) == nil ? 20 : 23
            case .number: 1700
            case .boolean: 16
            }
        }
    }

    /// Its name for statements that wait for it; empty for none.
    package var name = ""
    /// A single SQL statement, with `$1`, `$2` … for the parameters.
    package var text: String
    /// The values of the parameters.
    package var parameters: [Parameter]
    /// The timeout (`statement_timeout`). If the server does not respond, the session is closed half a second later.
    package var timeout: Duration
    /// The maximum number of rows of the result.
    package var maximumRows: Int
    /// The maximum size of the result's values, in bytes.
    package var maximumBytes: Int
    /// The format of the values.
    package var form: Form

    /// A format of values.
    package enum Form: Sendable, Hashable {
        /// As text: ``PostgresResult/cells``.
        case text
        /// Binary, which for `bytea` is its bytes: ``PostgresResult/bytes``.
        case binary
    }

    package init(
        _ text: String,
        parameters: [Parameter] = [],
        form: Form = .text,
        timeout: Duration = .seconds(30),
        maximumRows: Int = 200_000,
        maximumBytes: Int = 64 << 20
    ) {
        self.text = text
        self.parameters = parameters
        self.timeout = timeout
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
        self.form = form
    }
}

/// A column of a result.
package struct PostgresColumn: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The type OID (`pg_type.oid`).
    package let typeID: UInt32

    package init(_ name: String, typeID: UInt32) {
        self.name = name
        self.typeID = typeID
    }
}

/// A complete result. A failed statement has none, even if the error follows rows.
package struct PostgresResult: Sendable, Hashable {
    /// The columns.
    package let columns: [PostgresColumn]
    /// The values row by row in PostgreSQL's text format; nil is NULL. Empty for another format.
    package private(set) var cells: [String?] = []
    /// The values row by row in binary format; nil is NULL. Empty for another format.
    package private(set) var bytes: [[UInt8]?] = []
    /// The number of rows.
    package private(set) var rowCount = 0

    package init(columns: [PostgresColumn]) {
        self.columns = columns
    }

    /// Adds a row.
    /// - Precondition: the row has one value per column.
    package mutating func append(_ row: some Collection<String?>) {
        precondition(row.count == columns.count)
        cells.append(contentsOf: row)
        rowCount += 1
    }

    /// Adds a row of libpq's values.
    /// - Returns: false if a string is not UTF-8; the result is then invalid.
    mutating func append(
        _ form: PostgresStatement.Form,
        _ count: Int,
        value: (Int) -> UnsafeRawBufferPointer?
    ) -> Bool {
        for index in 0..<count {
            switch (form, value(index)) {
            case (.text, nil): cells.append(nil)
            case (.text, let value?):
                guard let text = String(validating: value, as: UTF8.self) else { return false }
                cells.append(text)
            case (.binary, let value): bytes.append(value.map(Array.init))
            }
        }
        rowCount += 1
        return true
    }

    /// A value; nil is NULL.
    package subscript(row: Int, column: Int) -> String? { cells[row * columns.count + column] }
}
