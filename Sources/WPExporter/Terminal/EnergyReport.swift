// SPDX-License-Identifier: MIT

import WPCore
package import WPModel
import WPTerminal

/// The output of `energy list` and `energy show`.
package struct EnergyReport {
    private let records: [EnergyRecord]

    package init(_ records: [EnergyRecord]) {
        self.records = records
    }

    /// - Parameter width: the table width in columns; nil for unlimited.
    package func text(_ format: EnergyFormat, width: Int? = nil) throws -> String {
        switch format {
        case .table: table(width)
        case .json: try JSONDocument.text(Document(devices: records.map(Entry.init)))
        case .csv: csv
        }
    }

    private func table(_ width: Int?) -> String {
        guard !records.isEmpty else { return "There are no energy totals yet.\n" }
        let columns = [
            TextTable.Column("DEVICE"), TextTable.Column("NAME", dropOrder: 5), TextTable.Column("ENERGY (Wh)", .right),
            TextTable.Column("METERED (h)", .right, dropOrder: 2),
            TextTable.Column("GAPS (h)", .right, dropOrder: 4), TextTable.Column("LAST SAMPLE (UTC)", dropOrder: 1),
            TextTable.Column("POWER (W)", .right, dropOrder: 3),
        ]
        let rows = records.map { record in
            [
                Self.name(record.key),
                record.name.map(TerminalText.printable) ?? "-",
                Decimals.text(record.total.wattHours, 3),
                Decimals.text(record.total.meteredSeconds / 3600, 2),
                Decimals.text(record.total.gapSeconds / 3600, 2),
                record.lastSample.map { RFC3339.string($0.wall, fraction: .seconds) } ?? "-",
                record.lastSample?.watts.map { Decimals.text($0, 1) } ?? "-",
            ]
        }
        let table = TextTable(columns, rows: rows.map { $0.map { StyledText($0) } })
        return table.lines(width: width).map { $0.text + "\n" }.joined()
    }

    /// The device, prefixed with the name of its source if there is one.
    private static func name(_ key: EnergyKey) -> String {
        let source = key.source == .only ? "" : TerminalText.printable(key.source.rawValue) + "/"
        return source + TerminalText.printable(key.device.rawValue)
    }

    /// RFC 4180, with a header line.
    private var csv: String {
        let head = [
            "source", "device", "watt_hours", "joules", "metered_seconds", "gap_seconds", "last_sample_time",
            "last_watts", "name", "unverified_seconds",
        ]
        let rows = records.map(Entry.init).map { entry in
            [
                entry.source, entry.device, entry.wattHours.description, entry.joules.description,
                entry.meteredSeconds.description, entry.gapSeconds.description, entry.lastSampleTime ?? "",
                entry.lastWatts?.description ?? "", entry.name ?? "", entry.unverifiedSeconds.description,
            ]
        }
        return ([head] + rows).map(CSVText.line).joined()
    }

    private struct Document: Encodable {
        var devices: [Entry]
    }

    private struct Entry: Encodable {
        var source: String
        var device: String
        var wattHours: Double
        var joules: Double
        var meteredSeconds: Double
        var gapSeconds: Double
        var lastSampleTime: String?
        var lastWatts: Double?
        var name: String?
        var unverifiedSeconds: Double

        enum CodingKeys: String, CodingKey {
            case source, device, joules, name
            case unverifiedSeconds = "unverified_seconds"
            case wattHours = "watt_hours"
            case meteredSeconds = "metered_seconds"
            case gapSeconds = "gap_seconds"
            case lastSampleTime = "last_sample_time"
            case lastWatts = "last_watts"
        }

        init(_ record: EnergyRecord) {
            source = record.key.source.rawValue
            device = record.key.device.rawValue
            wattHours = record.total.wattHours
            joules = record.total.joules
            meteredSeconds = record.total.meteredSeconds
            gapSeconds = record.total.gapSeconds
            lastSampleTime = record.lastSample.map { RFC3339.string($0.wall) }
            lastWatts = record.lastSample?.watts
            name = record.name
            unverifiedSeconds = record.total.unverifiedSeconds
        }
    }
}

/// `--format table|json|csv`
package enum EnergyFormat: String, CaseIterable {
    case table, json, csv
}
