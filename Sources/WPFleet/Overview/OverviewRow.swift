// SPDX-License-Identifier: MIT

import WPHistory
import WPHost
import WPModel
import WPText

/// One UPS or node in the overview: JSON arrays, rounded to what people look at, so that a row changes only when what it
/// shows does.
struct OverviewRow: Hashable {
    /// What a subject's row shows: the most severe thing that is the matter with it.
    enum State: String, CaseIterable {
        case onBattery = "on_battery"
        case alarm, offline, disconnected, stale, online
    }

    /// The columns after the key, as ``description`` and ``values`` have them.
    static let describing = ["kind", "site", "id", "name", "model", "rated_volt_amperes"]
    static let valued: [HistorySubject.Kind: [String]] = [
        .ups: [
            "state", "last_seen", "mode", "load_percent", "load_watts", "battery_percent", "battery_charging",
            "battery_runtime_seconds", "temperature_celsius", "alarms", "alarm",
        ],
        .node: [
            "state", "last_seen", "cpu_usage", "memory_usage", "disk_usage", "cpu_temp", "network_rx", "network_tx",
        ],
    ]

    /// Identity and nameplate, without brackets.
    let description: [UInt8]
    /// What changes.
    let values: [UInt8]

    init(_ entry: Fleet.Entry) {
        let subject = entry.subject
        var text = Row()
        text.append(subject.kind.rawValue)
        text.append(subject.site)
        text.append(subject.name)
        text.append(entry.device?.name ?? entry.node?.hostname)
        text.append(entry.device?.model ?? entry.node?.os)
        text.append(entry.device?.ratedVoltAmperes)
        description = text.json

        text = Row()
        let state = Self.state(entry)
        text.append(state.rawValue)
        // When it was heard of last matters once that is long ago.
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
            text.append(device.loadPercent?.rounded())
            text.append(device.loadWatts?.rounded())
            text.append(device.batteryPercent?.rounded())
            text.append(device.batteryCharging.map { $0 ? 1 : 0 })
            // In whole minutes where seconds do not matter.
            text.append(device.batteryRuntimeSeconds.map { $0 < 600 ? $0.rounded() : ($0 / 60).rounded() * 60 })
            text.append(device.temperatureCelsius?.rounded())
            text.append(Double(device.alarms?.count ?? 0))
            text.append(device.alarms?.first.map { EventDetector.bounded($0.text) })
        }
        values = text.json
    }

    /// The most severe thing that is the matter.
    static func state(_ entry: Fleet.Entry) -> State {
        let device = entry.device
        if entry.freshness == .offline { return .offline }
        if device?.connected == false { return .disconnected }
        if device?.isOnBattery == true { return .onBattery }
        if device?.mode == "fault" || device?.alarms?.isEmpty == false { return .alarm }
        return entry.freshness == .stale ? .stale : .online
    }

    /// Values of a JSON array.
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
