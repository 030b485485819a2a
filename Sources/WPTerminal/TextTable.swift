// SPDX-License-Identifier: MIT

/// Rows of text in aligned columns. To fit a width, it drops extra columns, then truncates columns, then drops more
/// columns.
package struct TextTable: Sendable {
    /// A column.
    package struct Column: Sendable, Hashable {
        /// Its heading.
        package var title: String
        /// Its alignment.
        package var alignment: TextAlignment
        /// The minimum width to which its text may be truncated; nil for never.
        package var minimumWidth: Int?
        /// The width to which its text is truncated in favour of an extra column; nil for never.
        package var comfortableWidth: Int?
        /// The column with the highest number is dropped first; 0 is never dropped.
        package var dropOrder: Int
        /// Whether it is dropped before any column is truncated below its comfortable width.
        package var isExtra: Bool

        /// Creates a column.
        package init(
            _ title: String,
            _ alignment: TextAlignment = .left,
            minimumWidth: Int? = nil,
            comfortableWidth: Int? = nil,
            dropOrder: Int = 0,
            isExtra: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.minimumWidth = minimumWidth.map { max($0, TerminalText.width(title)) }
            self.comfortableWidth = comfortableWidth
            self.dropOrder = dropOrder
            self.isExtra = isExtra
        }
    }

    /// The separator between columns.
    private static let gap: StyledText = "  "

    private let columns: [Column]
    private let rows: [[StyledText]]
    private let naturalWidths: [Int]

    /// Creates a table.
    /// - Parameters:
    ///   - columns: the columns, from left to right.
    ///   - rows: the rows, one string per column; rows may be shorter.
    package init(_ columns: [Column], rows: [[StyledText]]) {
        self.columns = columns
        self.rows = rows
        naturalWidths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { widest, row in
                max(widest, index < row.count ? row[index].width : 0)
            }
        }
    }

    /// The heading and the rows.
    /// - Parameters:
    ///   - width: the maximum line width in cells; nil for no limit.
    ///   - mark: the mark at the end of truncated text; one cell wide.
    /// - Returns: lines without trailing spaces.
    package func lines(width: Int? = nil, mark: String = "…") -> [StyledText] {
        let layout = layout(width)
        let heading = columns.map { StyledText($0.title, .bold) }
        return ([heading] + rows).map { row in
            var line = StyledText("")
            for (position, (index, columnWidth)) in layout.enumerated() {
                var cell = (index < row.count ? row[index] : "").cut(to: columnWidth, mark: mark)
                let isLast = position == layout.count - 1
                if !(isLast && columns[index].alignment == .left) {
                    cell = cell.padded(to: columnWidth, columns[index].alignment)
                }
                line = position == 0 ? cell : line + Self.gap + cell
            }
            return width.map { line.cut(to: $0, mark: mark) } ?? line
        }
    }

    /// The columns that are shown, and their widths.
    private func layout(_ width: Int?) -> [(index: Int, width: Int)] {
        guard let width else { return columns.indices.map { ($0, naturalWidths[$0]) } }
        var visible = Array(columns.indices)
        /// Drops columns until the rest fits.
        func drop(from candidates: (Column) -> Bool, until fits: () -> Bool) {
            while !fits() {
                let next = visible.filter { candidates(columns[$0]) }.max {
                    columns[$0].dropOrder < columns[$1].dropOrder
                }
                guard let next else { return }
                visible.removeAll { $0 == next }
            }
        }
        drop(from: \.isExtra) { total(visible.map(comfortableWidth)) <= width }
        drop(from: { $0.dropOrder > 0 }) { total(visible.map(minimumWidth)) <= width }
        var widths = visible.map(minimumWidth)
        var spare = width - total(widths)
        // Cell by cell, so that truncated columns grow evenly.
        while spare > 0 {
            let growing = widths.indices.filter { widths[$0] < naturalWidths[visible[$0]] }
            guard !growing.isEmpty else { break }
            for index in growing.prefix(spare) { widths[index] += 1 }
            spare -= growing.count
        }
        return Array(zip(visible, widths))
    }

    private func minimumWidth(_ index: Int) -> Int {
        min(naturalWidths[index], columns[index].minimumWidth ?? naturalWidths[index])
    }

    private func comfortableWidth(_ index: Int) -> Int {
        max(minimumWidth(index), min(naturalWidths[index], columns[index].comfortableWidth ?? naturalWidths[index]))
    }

    private func total(_ widths: [Int]) -> Int {
        widths.reduce(0, +) + Self.gap.width * max(0, widths.count - 1)
    }
}
