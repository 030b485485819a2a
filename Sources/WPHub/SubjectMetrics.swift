// SPDX-License-Identifier: MIT

import WPFleet
import WPHistory
import WPHost
import WPMetrics
import WPModel

/// The UPSes and nodes of a hub as metrics, named like those of an exporter and of node_exporter, with the additional
/// label `site` or `node`. Offline subjects are omitted, except for their energy.
enum SubjectMetrics {
    /// The published subjects.
    struct Subjects {
        let shown: ArraySlice<Fleet.Entry>
        let hidden: Int

        var fresh: [Fleet.Entry] { shown.filter { $0.freshness != .offline } }
        var nodes: [NodeSnapshot] { fresh.compactMap(\.node) }
    }

    /// - Parameter limit: returns the maximum number of published subjects; 0 for none.
    static func collector(
        _ fleet: Fleet,
        limit: @escaping @Sendable () -> Int
    ) throws(MetricError) -> RowCollector<Subjects> {
        let groups: [FamilyRows<Subjects>] = [
            FamilyRows([
                try FamilyRow(
                    "winpower_hub_hidden_subjects",
                    "UPSes and nodes without their own series, because there are more than hub.subject_metrics."
                ) { Double($0.hidden) }
            ]),
            FamilyRows([try energyRow()]) { subjects in
                try distinct(subjects.shown) { entry in
                    try entry.device.map { (try LabelSet(["device_id": $0.id, "site": entry.subject.site]), $0) }
                }
            },
            FamilyRows(try deviceRows()) { subjects in
                try distinct(subjects.fresh) { entry in
                    try entry.device.map { (try labels(of: $0, at: entry.subject.site), $0) }
                }
            },
            FamilyRows(try nodeRows()) { subjects in
                try distinct(subjects.nodes) { (try LabelSet(["node": $0.nodeName]), $0) }
            },
            FamilyRows(try fileSystemRows()) { subjects in
                try distinct(subjects.nodes.flatMap { node in node.disks.map { (node.nodeName, $0) } }) { node, disk in
                    let labels: KeyValuePairs = [
                        "device": disk.device, "fstype": disk.filesystemType ?? "", "mountpoint": disk.mountPoint,
                        "node": node,
                    ]
                    return (try LabelSet(labels), disk)
                }
            },
            FamilyRows(try interfaceRows()) { subjects in
                try distinct(subjects.nodes.flatMap { node in node.networks.map { (node.nodeName, $0) } }) {
                    (try LabelSet(["device": $1.interface, "node": $0]), $1)
                }
            },
        ]
        return RowCollector(groups) {
            let limit = limit()
            guard limit > 0 else { return nil }
            let known = fleet.entries(of: .ups) + fleet.entries(of: .node)
            return Subjects(shown: known.prefix(limit), hidden: max(0, known.count - limit))
        }
    }

    private static func energyRow() throws(MetricError) -> FamilyRow<UPSSnapshot> {
        let energy = UPSMetric.energy
        return try FamilyRow(
            energy.name,
            energy.help,
            type: .counter,
            unit: energy.unit,
            labels: ["device_id", "site"]
        ) { $0[.energy].map { $0 * 3600 } }
    }

    private static func deviceRows() throws(MetricError) -> [FamilyRow<UPSSnapshot>] {
        let labels = ["device_id", "device_name", "device_type", "site"]
        var rows = [
            try FamilyRow<UPSSnapshot>(UPSMetric.activeAlarms.name, UPSMetric.activeAlarms.help, labels: labels) {
                $0.alarms.map { Double($0.count) }
            }
        ]
        for quantity in UPSQuantity.reported {
            guard let metric = quantity.metric else { continue }
            rows.append(try FamilyRow(metric, quantity.help, labels: labels) { $0[quantity] })
        }
        return rows
    }

    private static func labels(of device: UPSSnapshot, at site: String) throws(MetricError) -> LabelSet {
        try LabelSet([
            "device_id": device.id, "device_name": device.name ?? device.id,
            "device_type": device.typeCode.map(String.init) ?? "unknown", "site": site,
        ])
    }

    private static func nodeRows() throws(MetricError) -> [FamilyRow<NodeSnapshot>] {
        func row(
            _ name: String,
            _ help: String,
            _ value: @escaping @Sendable (NodeSnapshot) -> Double?
        ) throws(MetricError) -> FamilyRow<NodeSnapshot> {
            try FamilyRow(name, help, labels: ["node"], value)
        }
        return [
            try row("node_load1", "Load average of one minute.") { $0.cpu?.load1 },
            try row("node_load5", "Load average of five minutes.") { $0.cpu?.load5 },
            try row("node_load15", "Load average of fifteen minutes.") { $0.cpu?.load15 },
            try row("node_memory_MemTotal_bytes", "Memory, in bytes.") { $0.memory?.total.map { Double($0) } },
            try row("node_memory_MemAvailable_bytes", "Memory that programs may get, in bytes.") {
                $0.memory?.available.map { Double($0) }
            },
            try row("winpower_hub_node_cpu_usage_percent", "Busy processor time, in percent.") { $0.cpu?.usagePercent },
            try row("winpower_hub_node_cpu_temperature_celsius", "Temperature of the processor in degrees Celsius.") {
                $0.temperature?.cpu
            },
        ]
    }

    private static func fileSystemRows() throws(MetricError) -> [FamilyRow<NodeSnapshot.Disk>] {
        let labels = ["device", "fstype", "mountpoint", "node"]
        return [
            try FamilyRow("node_filesystem_size_bytes", "Size of a file system, in bytes.", labels: labels) {
                $0.total.map { Double($0) }
            },
            try FamilyRow(
                "node_filesystem_avail_bytes",
                "Filesystem space available to non-root users, in bytes.",
                labels: labels
            ) { $0.available.map { Double($0) } },
        ]
    }

    private static func interfaceRows() throws(MetricError) -> [FamilyRow<NodeSnapshot.Network>] {
        func counter(
            _ name: String,
            _ help: String,
            _ value: @escaping @Sendable (NodeSnapshot.Network) -> UInt64?
        ) throws(MetricError) -> FamilyRow<NodeSnapshot.Network> {
            try FamilyRow(name, help, type: .counter, labels: ["device", "node"]) { value($0).map { Double($0) } }
        }
        return [
            try counter("node_network_receive_bytes_total", "Bytes received.", \.receivedBytes),
            try counter("node_network_transmit_bytes_total", "Bytes sent.", \.sentBytes),
        ]
    }

    /// The first subject of each label set, because several senders may report the same one.
    private static func distinct<Item, Subject>(
        _ items: some Sequence<Item>,
        _ labelled: (Item) throws -> Labelled<Subject>?
    ) throws -> [Labelled<Subject>] {
        var seen: Set<LabelSet> = []
        return try items.compactMap(labelled).filter { seen.insert($0.labels).inserted }
    }
}
