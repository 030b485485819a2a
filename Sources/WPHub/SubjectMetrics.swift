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
    private struct Row<Value: Sendable>: Sendable {
        let descriptor: MetricDescriptor
        let value: @Sendable (Value) -> Double?

        init(
            _ name: String,
            _ help: String,
            _ labels: [String],
            type: MetricType = .gauge,
            unit: String? = nil,
            _ value: @escaping @Sendable (Value) -> Double?
        ) throws(MetricError) {
            descriptor = try MetricDescriptor(name: name, help: help, type: type, unit: unit, labelNames: labels)
            self.value = value
        }

        func family(_ subjects: [(labels: LabelSet, value: Value)]) -> MetricFamily {
            var seen: Set<LabelSet> = []
            return MetricFamily(
                descriptor,
                subjects.compactMap { subject in
                    guard let number = value(subject.value), seen.insert(subject.labels).inserted else { return nil }
                    return Metric(labels: subject.labels, value: number)
                }
            )
        }
    }

    private static let deviceLabels = ["device_id", "device_name", "device_type", "site"]
    private static let fileSystemLabels = ["device", "fstype", "mountpoint", "node"]
    private static let interfaceLabels = ["device", "node"]

    private let fleet: Fleet
    private let stored: Mutex<Int>
    private let hidden: MetricDescriptor
    private let devices: [Row<UPSSnapshot>]
    private let energy: Row<UPSSnapshot>
    private let nodes: [Row<NodeSnapshot>]
    private let fileSystems: [Row<NodeSnapshot.Disk>]
    private let interfaces: [Row<NodeSnapshot.Network>]

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
        energy = try Row(
            UPSMetric.energy.name,
            UPSMetric.energy.help,
            ["device_id", "site"],
            type: .counter,
            unit: UPSMetric.energy.unit
        ) { $0[.energy].map { $0 * 3600 } }
        nodes = try Self.nodeRows()
        fileSystems = [
            try Row("node_filesystem_size_bytes", "Size of a file system, in bytes.", Self.fileSystemLabels) {
                $0.total.map { Double($0) }
            },
            try Row(
                "node_filesystem_avail_bytes",
                "Filesystem space available to non-root users, in bytes.",
                Self.fileSystemLabels
            ) {
                $0.available.map { Double($0) }
            },
        ]
        interfaces = [
            try Row(
                "node_network_receive_bytes_total",
                "Bytes received.",
                Self.interfaceLabels,
                type: .counter
            ) { $0.receivedBytes.map { Double($0) } },
            try Row(
                "node_network_transmit_bytes_total",
                "Bytes sent.",
                Self.interfaceLabels,
                type: .counter
            ) { $0.sentBytes.map { Double($0) } },
        ]
    }

    /// The maximum number of published subjects; 0 for none.
    var limit: Int {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    private static func deviceRows() throws(MetricError) -> [Row<UPSSnapshot>] {
        var rows = [
            try Row<UPSSnapshot>(UPSMetric.activeAlarms.name, UPSMetric.activeAlarms.help, deviceLabels) {
                $0.alarms.map { Double($0.count) }
            }
        ]
        for quantity in UPSQuantity.reported {
            guard let metric = quantity.metric else { continue }
            rows.append(try Row(metric, quantity.help, deviceLabels) { $0[quantity] })
        }
        return rows
    }

    private static func nodeRows() throws(MetricError) -> [Row<NodeSnapshot>] {
        func row(
            _ name: String,
            _ help: String,
            _ value: @escaping @Sendable (NodeSnapshot) -> Double?
        ) throws(MetricError) -> Row<NodeSnapshot> {
            try Row(name, help, ["node"], value)
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
        let upses = try fresh.compactMap { entry in
            try entry.device.map { (labels: try Self.labels(of: $0, entry.subject.site), value: $0) }
        }
        let counters = try shown.compactMap { entry in
            try entry.device.map {
                (labels: try LabelSet(["device_id": $0.id, "site": entry.subject.site]), value: $0)
            }
        }
        let hosts = try fresh.compactMap { entry in
            try entry.node.map { (labels: try LabelSet(["node": $0.nodeName]), value: $0) }
        }
        var disks: [(labels: LabelSet, value: NodeSnapshot.Disk)] = []
        var links: [(labels: LabelSet, value: NodeSnapshot.Network)] = []
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
        var families = [MetricFamily(hidden, value: Double(known.count - shown.count)), energy.family(counters)]
        families += devices.map { $0.family(upses) }
        families += nodes.map { $0.family(hosts) }
        families += fileSystems.map { $0.family(disks) }
        families += interfaces.map { $0.family(links) }
        return families
    }

    private static func labels(of device: UPSSnapshot, _ site: String) throws(MetricError) -> LabelSet {
        try LabelSet([
            "device_id": device.id, "device_name": device.name ?? device.id,
            "device_type": device.typeCode.map(String.init) ?? "unknown", "site": site,
        ])
    }
}
