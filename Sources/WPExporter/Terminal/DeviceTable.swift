// SPDX-License-Identifier: MIT

package import WPModel
package import WPTerminal

/// Readings as a table, with one row per device in the order given.
///
/// No cell is empty or contains two consecutive spaces, so that programs can split columns at two or more spaces.
package struct DeviceTable: Sendable {
    private let table: TextTable

    /// Creates a table.
    /// - Parameter nutNames: the NUT names, in a separate column; nil for no such column.
    package init(_ readings: [DeviceReading], nutNames: [DeviceID: String]? = nil) {
        let rows = zip(readings, DeviceText.names(readings)).map { reading, name in
            let text = DeviceText(reading)
            func values(_ columns: [QuantityColumn]) -> [StyledText] {
                columns.map { StyledText($0.text(reading), text.valueStyle) }
            }
            let first = [
                StyledText(name, text.style == TextStyle(.green) ? .plain : text.style),
                StyledText(text.mode, text.style),
            ]
            let second = [
                StyledText(text.alarms, text.alarmStyle),
                StyledText(Self.orAbsent(reading.device.model ?? ""), text.valueStyle),
            ]
            let last =
                [reading.device.id.rawValue] + (nutNames.map { [$0[reading.device.id] ?? ""] } ?? [])
            return first + values(QuantityColumn.usual) + second + values(QuantityColumn.extra)
                + last.map { StyledText(Self.orAbsent($0), text.valueStyle) }
        }
        table = TextTable(Self.columns + (nutNames == nil ? [] : [Self.nutColumn]), rows: rows)
    }

    /// The heading and one line per device.
    /// - Parameters:
    ///   - width: the maximum line width: names and alarms are truncated, then columns are dropped. nil for unlimited.
    ///   - glyphs: the characters that mark truncated text.
    package func lines(width: Int?, glyphs: Glyphs = .unicode) -> [StyledText] {
        table.lines(width: width, mark: glyphs.cut)
    }

    private static let columns =
        [TextTable.Column("NAME", minimumWidth: 12, comfortableWidth: 24), TextTable.Column("MODE")]
        + QuantityColumn.usual.map { $0.column() }
        + [
            TextTable.Column("ALARMS", minimumWidth: 6, comfortableWidth: 24, dropOrder: 2),
            TextTable.Column("MODEL", dropOrder: 7, isExtra: true),
        ]
        + QuantityColumn.extra.map { $0.column() } + [TextTable.Column("ID", dropOrder: 8, isExtra: true)]

    private static let nutColumn = TextTable.Column("NUT NAME", dropOrder: 9, isExtra: true)

    private static func orAbsent(_ text: String) -> String {
        let line = DeviceText.oneLine(text)
        return line.isEmpty ? DeviceText.absent : line
    }
}
