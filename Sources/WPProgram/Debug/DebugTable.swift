// SPDX-License-Identifier: MIT

/// Rows of text that a program adds to its debug page. In JSON each row is an object.
public struct DebugTable: Sendable, Encodable {
    /// The heading of the table.
    public var title: String
    /// The names of the columns.
    public var columns: [String]
    /// The cells; each row has one per column.
    public var rows: [[String]]

    /// Creates a table.
    public init(_ title: String, columns: [String], rows: [[String]]) {
        (self.title, self.columns, self.rows) = (title, columns, rows)
    }

    /// Encodes an array with an object per row.
    public func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        for row in rows {
            var object = array.nestedContainer(keyedBy: NameKey.self)
            for (column, cell) in zip(columns, row) {
                try object.encode(cell, forKey: NameKey(column.lowercased()))
            }
        }
    }
}
