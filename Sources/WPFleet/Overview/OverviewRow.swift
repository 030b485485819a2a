// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPHost
import WPModel

/// A row of the overview: JSON arrays, rounded for display, so that a row changes only if its displayed values do.
struct OverviewRow: Hashable {
    /// The state shown in a row: the most severe condition.
    enum State: String, CaseIterable {
        case onBattery = "on_battery"
        case alarm, offline, disconnected, stale, online
    }

    /// The columns after the key, in the order of ``description`` and ``values``.
    static let describing = ["kind", "site", "id", "name", "model", "rated_volt_amperes"]
    static let valued: [HistorySubject.Kind: [String]] = [
        .ups: ["state", "last_seen", "mode"] + quantities.map(\.jsonName) + ["alarms", "alarm"],
        .node: [
            "state", "last_seen", "cpu_usage", "memory_usage", "disk_usage", "cpu_temp", "network_rx", "network_tx",
        ],
    ]

    private static let quantities = UPSQuantity.reported.filter(\.isInOverview)

    /// Identity and ratings, without brackets.
    let description: [UInt8]
    /// The current values.
    let values: [UInt8]

    init(_ entry: Fleet.Entry) {
        let subject = entry.subject
        var text = Row()
        text.append(subject.kind.rawValue)
        text.append(subject.site)
        text.append(subject.name)
        text.append(entry.device?.name ?? entry.node?.hostname)
        text.append(entry.device?.model ?? entry.node?.os)
        text.append(entry.device?[.ratedVoltAmperes])
        description = text.json

        text = Row()
        let state = Self.state(entry)
        text.append(state.rawValue)
        // The time of the last report is omitted for online subjects.
        text.append(entry.freshness == .online ? nil : entry.lastSeen.rounded())
        if let node = entry.node {
            text.append(node.cpu?.usagePercent?.rounded())
            text.append(node.memory?.usagePercent?.rounded())
            text.append(node.primaryDisk?.usagePercent?.rounded())
            text.append(node.temperature?.cpu?.rounded())
            text.append(node.primaryNetwork?.receiveRate?.rounded())
            text.append(node.primaryNetwork?.sendRate?.rounded())
        } else if let device = entry.device {
            text.append(device.mode)
            for quantity in Self.quantities {
                // Rounded to minutes if seconds do not matter.
                let step = quantity.unit == .seconds && device[quantity] ?? 0 >= 600 ? 60.0 : 1
                text.append(device[quantity].map { ($0 / step).rounded() * step })
            }
            text.append(Double(device.alarms?.count ?? 0))
            text.append(device.alarms?.first.map { EventDetector.bounded($0.text) })
        }
        values = text.json
    }

    /// The most severe condition.
    static func state(_ entry: Fleet.Entry) -> State {
        let device = entry.device
        if entry.freshness == .offline { return .offline }
        if device?.isUnreachable == true { return .disconnected }
        if device?.isOnBattery == true { return .onBattery }
        if device?.mode == "fault" || device?.alarms?.isEmpty == false { return .alarm }
        return entry.freshness == .stale ? .stale : .online
    }

    /// Builds the values of a JSON array.
    private struct Row {
        private(set) var json: [UInt8] = []

        mutating func append(_ text: String?) {
            if !json.isEmpty { json.append(UInt8(ascii: ",")) }
            if let text { json.appendQuoted(text) } else { json += "null".utf8 }
        }

        mutating func append(_ value: Double?) {
            if !json.isEmpty { json.append(UInt8(ascii: ",")) }
            if let value, value.isFinite { json.appendDecimal(value) } else { json += "null".utf8 }
        }
    }
}
