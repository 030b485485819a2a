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

    /// The columns of ``description``.
    static let describing = ["kind", "site", "id", "name", "model", "rated_volt_amperes"]

    /// The columns of ``values``.
    static func columns(of kind: HistorySubject.Kind) -> [String] {
        switch kind {
        case .ups: ["state", "last_seen", "mode"] + quantities.map(\.jsonName) + ["alarms", "alarm"]
        case .node:
            ["state", "last_seen", "cpu_usage", "memory_usage", "disk_usage", "cpu_temp", "network_rx", "network_tx"]
        case .fleet: []
        }
    }

    private static let quantities = UPSQuantity.reported.filter(\.isInOverview)

    /// Identity and ratings, without brackets.
    let description: String
    /// The current values.
    let values: String

    init(_ entry: Fleet.Entry) {
        let (subject, device) = (entry.subject, entry.device)
        description = [
            Self.text(subject.kind.rawValue), Self.text(subject.site), Self.text(subject.name),
            Self.text(device?.name ?? entry.node?.hostname), Self.text(device?.model ?? entry.node?.os),
            Self.number(device?[.ratedVoltAmperes]),
        ].joined(separator: ",")

        var values = [
            Self.text(Self.state(entry).rawValue),
            // The time of the last report is omitted for online subjects.
            Self.number(entry.freshness == .online ? nil : entry.lastSeen.rounded()),
        ]
        if let node = entry.node {
            let (disk, network) = (node.primaryDisk, node.primaryNetwork)
            values += [
                node.cpu?.usagePercent, node.memory?.usagePercent, disk?.usagePercent, node.temperature?.cpu,
                network?.receiveRate, network?.sendRate,
            ].map { Self.number($0?.rounded()) }
        } else if let device {
            values.append(Self.text(device.mode))
            values += Self.quantities.map { quantity in
                // Rounded to minutes if seconds do not matter.
                let step = quantity.unit == .seconds && device[quantity] ?? 0 >= 600 ? 60.0 : 1
                return Self.number(device[quantity].map { ($0 / step).rounded() * step })
            }
            values.append(String(device.alarms?.count ?? 0))
            values.append(Self.text(device.alarms?.first.map { EventDetector.bounded($0.text) }))
        }
        self.values = values.joined(separator: ",")
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

    private static func text(_ text: String?) -> String { text.map { JSONText.quoted($0) } ?? "null" }

    private static func number(_ value: Double?) -> String { value.map(FleetDocuments.number) ?? "null" }
}
