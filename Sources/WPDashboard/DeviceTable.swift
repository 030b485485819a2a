// SPDX-License-Identifier: MIT

package import WPModel
package import WPTerminal

/// Readings as a table, with one row per device in the order given.
///
/// No cell is empty and none holds two spaces in a row, so that a program can take the columns apart at two or more
/// spaces.
package struct DeviceTable: Sendable {
    private let table: TextTable

    /// Creates a table.
    /// - Parameter nutNames: the names for clients of Network UPS Tools, in a column of their own; nil for no such column.
    package init(_ readings: [DeviceReading], nutNames: [DeviceID: String]? = nil) {
        let rows = zip(readings, DeviceText.names(readings)).map { reading, name in
            let text = DeviceText(reading)
            func value(_ number: Double?, _ decimals: Int) -> StyledText {
                StyledText(DeviceText.number(number, decimals), text.valueStyle)
            }
            return [
                StyledText(name, text.style == TextStyle(.green) ? .plain : text.style),
                StyledText(text.mode, text.style),
                value(reading.load.percent, 0),
                value(reading.load.watts, 0),
                value(reading.battery.chargePercent, 0),
                StyledText(DeviceText.span(reading.battery.runtimeSeconds), text.valueStyle),
                value(reading.input.volts, 1),
                value(reading.output.volts, 1),
                value(reading.temperatureCelsius, 1),
                StyledText(text.alarms, text.alarmStyle),
                StyledText(Self.orAbsent(reading.device.model ?? ""), text.valueStyle),
                value(reading.device.rating.voltAmperes, 0),
                StyledText(Self.orAbsent(reading.device.id.rawValue), text.valueStyle),
            ] + (nutNames.map { [StyledText(Self.orAbsent($0[reading.device.id] ?? ""), text.valueStyle)] } ?? [])
        }
        table = TextTable(Self.columns + (nutNames == nil ? [] : [Self.nutColumn]), rows: rows)
    }

    /// The heading and one line per device.
    /// - Parameters:
    ///   - width: the most cells of a line: names and alarms are shortened, then columns are left out. nil for everything
    ///     in full.
    ///   - glyphs: what marks a shortened text.
    package func lines(width: Int?, glyphs: Glyphs = .unicode) -> [StyledText] {
        table.lines(width: width, mark: glyphs.cut)
    }

    private static let columns = [
        TextTable.Column("NAME", leastWidth: 12, comfortableWidth: 24),
        TextTable.Column("MODE"),
        TextTable.Column("LOAD %", .right),
        TextTable.Column("POWER W", .right),
        TextTable.Column("BATT %", .right),
        TextTable.Column("LEFT", .right, dropOrder: 1),
        TextTable.Column("IN V", .right, dropOrder: 4),
        TextTable.Column("OUT V", .right, dropOrder: 3),
        TextTable.Column("TEMP C", .right, dropOrder: 5),
        TextTable.Column("ALARMS", leastWidth: 6, comfortableWidth: 24, dropOrder: 2),
        TextTable.Column("MODEL", dropOrder: 7, isExtra: true),
        TextTable.Column("RATED VA", .right, dropOrder: 6, isExtra: true),
        TextTable.Column("ID", dropOrder: 8, isExtra: true),
    ]

    private static let nutColumn = TextTable.Column("NUT NAME", dropOrder: 9, isExtra: true)

    private static func orAbsent(_ text: String) -> String {
        let line = DeviceText.oneLine(text)
        return line.isEmpty ? DeviceText.absent : line
    }
}
