// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPHost
import WPModel

/// Encodes the API's documents. Reported documents are JSON already and are embedded unchanged.
enum FleetDocuments {
    static func time(_ seconds: Double) -> String {
        RFC3339.string(secondsSince1970: seconds)
    }

    /// The start of a bucket, in whole seconds.
    static func time(_ seconds: Int64) -> String {
        RFC3339.string(secondsSince1970: Double(seconds), fraction: .seconds)
    }

    /// One subject: its own document, preceded by the fleet's data about it.
    /// - Parameter more: further members, each with a leading comma.
    static func subject(_ entry: Fleet.Entry, more: String = "") -> String {
        let site = entry.subject.kind == .ups ? ",\"site\":\(JSONText.quoted(entry.subject.site))" : ""
        // A document is an object with at least a name, or empty.
        let document = String(decoding: entry.document.bytes, as: UTF8.self)
        let own = document.utf8.count > 2 ? "," + document.dropFirst() : "}"
        return "{\"state\":\"\(entry.freshness.rawValue)\",\"condition\":\"\(OverviewRow.state(entry).rawValue)\","
            + "\"last_seen\":\"\(time(entry.lastSeen))\"\(more)\(site)\(own)"
    }

    static func nodes(_ entries: [Fleet.Entry]) -> String {
        let nodes = entries.map { "\(JSONText.quoted($0.subject.name)):\(subject($0))" }
        return "{\"summary\":\(nodeSummary(entries)),\"nodes\":{\(nodes.joined(separator: ","))}}\n"
    }

    static func devices(_ entries: [Fleet.Entry], cluster: String, tariff: Tariff?) -> String {
        let devices = entries.map { subject($0) }.joined(separator: ",")
        return "{\"cluster\":\(JSONText.quoted(cluster))\(members(tariff)),\"summary\":\(deviceSummary(entries)),"
            + "\"ups\":[\(devices)]}\n"
    }

    private static func deviceSummary(_ entries: [Fleet.Entry]) -> String {
        let known = entries.filter { $0.freshness != .offline }.compactMap(\.device)
        var fields = freshness(entries, "ups")
        fields.append(("on_battery", String(known.count { $0.isOnBattery == true })))
        fields.append(("active_alarms", String(known.reduce(0) { $0 + ($1.alarms?.count ?? 0) })))
        let watts = known.filter { !$0.isUnreachable }.compactMap { $0[.loadWatts] }
        append("load_watts", watts.reduce(0, +), of: watts.count, to: &fields)
        let energy = entries.compactMap { $0.device?[.energy] }
        append("energy_watt_hours", energy.reduce(0, +), of: energy.count, to: &fields)
        return object(fields)
    }

    /// Adds an aggregate of values, unless there are none or it is not finite.
    private static func append(_ name: String, _ value: Double, of count: Int, to fields: inout [(String, String)]) {
        if count > 0, value.isFinite { fields.append((name, number(value))) }
    }

    private static func nodeSummary(_ entries: [Fleet.Entry]) -> String {
        let known = entries.filter { $0.freshness != .offline }.compactMap(\.node)
        var fields = freshness(entries, "nodes")
        func mean(_ name: String, _ values: [Double]) {
            guard let maximum = values.max() else { return }
            append("avg_\(name)", values.reduce(0, +) / Double(values.count), of: values.count, to: &fields)
            append("max_\(name)", maximum, of: values.count, to: &fields)
        }
        mean("cpu_usage", known.compactMap { $0.cpu?.usagePercent })
        mean("memory_usage", known.compactMap { $0.memory?.usagePercent })
        mean("disk_usage", known.compactMap { $0.primaryDisk?.usagePercent })
        mean("cpu_temp", known.compactMap { $0.temperature?.cpu })
        func sum(_ name: String, _ values: [Double]) {
            append(name, values.reduce(0, +), of: values.count, to: &fields)
        }
        sum("total_memory", known.compactMap { $0.memory?.total.map { Double($0) } })
        sum("used_memory", known.compactMap { $0.memory?.used.map { Double($0) } })
        sum("total_disk", known.compactMap { $0.primaryDisk?.total.map { Double($0) } })
        sum("used_disk", known.compactMap { $0.primaryDisk?.used.map { Double($0) } })
        sum("total_network_rx", known.compactMap { $0.primaryNetwork?.receiveRate })
        sum("total_network_tx", known.compactMap { $0.primaryNetwork?.sendRate })
        return object(fields)
    }

    private static func freshness(_ entries: [Fleet.Entry], _ noun: String) -> [(String, String)] {
        [("total_\(noun)", String(entries.count))]
            + Fleet.Freshness.allCases.map { state in
                ("\(state.rawValue)_\(noun)", String(entries.count { $0.freshness == state }))
            }
    }

    /// The members of a tariff, each with a leading comma.
    static func members(_ tariff: Tariff?) -> String {
        guard let tariff else { return "" }
        let currency = tariff.currency.map { ",\"currency\":\(JSONText.quoted($0))" } ?? ""
        return ",\"tariff\":\(number(tariff.price))\(currency)"
    }

    /// A number in JSON.
    /// - Precondition: it is finite.
    static func number(_ value: Double) -> String {
        var bytes: [UInt8] = []
        bytes.appendDecimal(value)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
