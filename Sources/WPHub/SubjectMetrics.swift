// SPDX-License-Identifier: MIT

import Synchronization
import WPFleet
import WPHistory
import WPHost
import WPMetrics
import WPModel

/// The UPSes and nodes of a hub as metrics, named like those of an exporter and of node_exporter, with the additional
/// label `site` or `node`. Offline subjects are omitted, except for their energy.
final class SubjectMetrics: ImmediateCollector {
    private static let deviceLabels = ["device_id", "device_name", "device_type", "site"]
    private static let fileSystemLabels = ["device", "fstype", "mountpoint", "node"]
    private static let interfaceLabels = ["device", "node"]

    private let fleet: Fleet
    private let stored: Mutex<Int>
    private let hidden: MetricDescriptor
    private let devices: [FamilyRow<UPSSnapshot>]
    private let energy: FamilyRow<UPSSnapshot>
    private let nodes: [FamilyRow<NodeSnapshot>]
    private let fileSystems: [FamilyRow<NodeSnapshot.Disk>]
    private let interfaces: [FamilyRow<NodeSnapshot.Network>]

    /// - Parameter limit: the maximum number of published subjects.
    init(_ fleet: Fleet, limit: Int) throws(MetricError) {
        self.fleet = fleet
        stored = Mutex(limit)
        hidden = try MetricDescriptor(
            name: "winpower_hub_hidden_subjects",
            help: "UPSes and nodes without their own series, because there are more than hub.subject_metrics.",
            type: .gauge
        )
        devices = try Self.deviceRows()
        energy = try FamilyRow(
            UPSMetric.energy.name,
            UPSMetric.energy.help,
            type: .counter,
            unit: UPSMetric.energy.unit,
            labels: ["device_id", "site"]
        ) { $0[.energy].map { $0 * 3600 } }
        nodes = try Self.nodeRows()
        fileSystems = [
            try FamilyRow(
                "node_filesystem_size_bytes",
                "Size of a file system, in bytes.",
                labels: Self.fileSystemLabels
            ) {
                $0.total.map { Double($0) }
            },
            try FamilyRow(
                "node_filesystem_avail_bytes",
                "Filesystem space available to non-root users, in bytes.",
                labels: Self.fileSystemLabels
            ) {
                $0.available.map { Double($0) }
            },
        ]
        interfaces = [
            try FamilyRow(
                "node_network_receive_bytes_total",
                "Bytes received.",
                type: .counter,
                labels: Self.interfaceLabels
            ) { $0.receivedBytes.map { Double($0) } },
            try FamilyRow(
                "node_network_transmit_bytes_total",
                "Bytes sent.",
                type: .counter,
                labels: Self.interfaceLabels
            ) { $0.sentBytes.map { Double($0) } },
        ]
    }

    /// The maximum number of published subjects; 0 for none.
    var limit: Int {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    private static func deviceRows() throws(MetricError) -> [FamilyRow<UPSSnapshot>] {
        var rows = [
            try FamilyRow<UPSSnapshot>(UPSMetric.activeAlarms.name, UPSMetric.activeAlarms.help, labels: deviceLabels) {
                $0.alarms.map { Double($0.count) }
            }
        ]
        for quantity in UPSQuantity.reported {
            guard let metric = quantity.metric else { continue }
            rows.append(try FamilyRow(metric, quantity.help, labels: deviceLabels) { $0[quantity] })
        }
        return rows
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

    var descriptors: [MetricDescriptor] {
        [hidden, energy.descriptor] + devices.map(\.descriptor) + nodes.map(\.descriptor)
            + fileSystems.map(\.descriptor) + interfaces.map(\.descriptor)
    }

    func collectNow() throws -> [MetricFamily] {
        let limit = limit
        guard limit > 0 else { return [] }
        let known = fleet.entries(of: .ups) + fleet.entries(of: .node)
        let shown = known.prefix(limit)
        let fresh = shown.filter { $0.freshness != .offline }
        let upses = try Self.labelled(fresh, \.device) { try Self.labels(of: $0, $1.subject.site) }
        let counters = try Self.labelled(shown, \.device) {
            try LabelSet(["device_id": $0.id, "site": $1.subject.site])
        }
        let hosts = try Self.labelled(fresh, \.node) { node, _ in try LabelSet(["node": node.nodeName]) }
        var disks: [Labelled<NodeSnapshot.Disk>] = []
        var links: [Labelled<NodeSnapshot.Network>] = []
        for (_, node) in hosts {
            for disk in node.disks {
                let labels: KeyValuePairs = [
                    "device": disk.device, "fstype": disk.filesystemType ?? "", "mountpoint": disk.mountPoint,
                    "node": node.nodeName,
                ]
                disks.append((try LabelSet(labels), disk))
            }
            for link in node.networks {
                links.append((try LabelSet(["device": link.interface, "node": node.nodeName]), link))
            }
        }
        (disks, links) = (Self.distinct(disks), Self.distinct(links))
        var families = [MetricFamily(hidden, value: Double(known.count - shown.count)), energy.family(of: counters)]
        families += devices.map { $0.family(of: upses) }
        families += nodes.map { $0.family(of: hosts) }
        families += fileSystems.map { $0.family(of: disks) }
        families += interfaces.map { $0.family(of: links) }
        return families
    }

    /// The values of the entries that have one, with labels.
    private static func labelled<Value>(
        _ entries: some Sequence<Fleet.Entry>,
        _ value: (Fleet.Entry) -> Value?,
        _ labels: (Value, Fleet.Entry) throws -> LabelSet
    ) throws -> [Labelled<Value>] {
        distinct(try entries.compactMap { entry in try value(entry).map { (try labels($0, entry), $0) } })
    }

    /// The first subject of each label set: senders may report the same one twice.
    private static func distinct<Value>(_ subjects: [Labelled<Value>]) -> [Labelled<Value>] {
        var seen: Set<LabelSet> = []
        return subjects.filter { seen.insert($0.labels).inserted }
    }

    private static func labels(of device: UPSSnapshot, _ site: String) throws(MetricError) -> LabelSet {
        try LabelSet([
            "device_id": device.id, "device_name": device.name ?? device.id,
            "device_type": device.typeCode.map(String.init) ?? "unknown", "site": site,
        ])
    }
}
