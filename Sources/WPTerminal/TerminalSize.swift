// SPDX-License-Identifier: MIT

/// The cells of a terminal.
public struct TerminalSize: Sendable, Hashable {
    /// The cells of a line, at least 1.
    public var columns: Int
    /// The lines, at least 1.
    public var rows: Int

    /// Creates a size; what is below 1 counts as 1.
    public init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}
