// SPDX-License-Identifier: MIT

import WPCore
package import WPHistory
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
    /// - Parameters:
    ///   - isRemovable: whether the client may remove it.
    ///   - nut: its NUT address, if any.
    static func subject(_ entry: Fleet.Entry, cluster: String, isRemovable: Bool, nut: NUTAddress?) -> [UInt8] {
        var json: [UInt8] = []
        var more = isRemovable ? ",\"removable\":true" : ""
        if let nut { more += ",\"nut_name\":\(JSONText.quoted(nut.name)),\"nut_port\":\(nut.port)" }
        append(entry, cluster: cluster, and: more, to: &json)
        json.append(0x0A)
        return json
    }

    private static func append(
        _ entry: Fleet.Entry,
        cluster: String,
        and more: String = "",
        to json: inout [UInt8]
    ) {
        json +=
            "{\"state\":\"\(entry.freshness.rawValue)\",\"condition\":\"\(OverviewRow.state(entry).rawValue)\",".utf8
        json += "\"last_seen\":\"\(time(entry.lastSeen))\"\(more)".utf8
        if entry.subject.kind == .ups {
            json += ",\"site\":".utf8
            json.appendQuoted(entry.subject.site)
        }
        // A document is an object with at least a name, or empty.
        let document = entry.document.bytes
        if document.count > 2 {
            json.append(UInt8(ascii: ","))
            json += document.dropFirst()
        } else {
            json.append(UInt8(ascii: "}"))
        }
    }

    static func nodes(_ entries: [Fleet.Entry], cluster: String) -> [UInt8] {
        var json = Array("{\"summary\":\(nodeSummary(entries)),\"nodes\":{".utf8)
        for (index, entry) in entries.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.appendQuoted(entry.subject.name)
            json.append(UInt8(ascii: ":"))
            append(entry, cluster: cluster, to: &json)
        }
        json += "}}\n".utf8
        return json
    }

    static func devices(_ entries: [Fleet.Entry], cluster: String, tariff: Tariff?) -> [UInt8] {
        var json = Array("{\"cluster\":".utf8)
        json.appendQuoted(cluster)
        if let tariff { json += ",\(tariff.members)".utf8 }
        json += ",\"summary\":\(deviceSummary(entries)),\"ups\":[".utf8
        for (index, entry) in entries.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            append(entry, cluster: cluster, to: &json)
        }
        json += "]}\n".utf8
        return json
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

    /// Points as JSON lines, each with its subject and its duration.
    static func lines(_ buckets: [HistoryBucket], of subject: HistorySubject) -> [UInt8] {
        var members = Array(",\"kind\":\"\(subject.kind.rawValue)\",\"site\":".utf8)
        members.appendQuoted(subject.site)
        members += ",\"name\":".utf8
        members.appendQuoted(subject.name)
        var json: [UInt8] = []
        // Points of the same duration share a writer.
        var rest = buckets[...]
        while let first = rest.first {
            let run = rest.prefix { $0.seconds == first.seconds }
            let length = Array(",\"seconds\":\(first.seconds)".utf8)
            var writer = PointWriter(members: members + length, points: run.count)
            for bucket in run {
                writer.append(bucket)
                writer.append(0x0A)
            }
            json += writer.json
            rest = rest[run.endIndex...]
        }
        return json
    }

    /// The points of a history as CSV (RFC 4180), with a column for each quantity, empty if unknown.
    static func table(_ buckets: [HistoryBucket], of kind: HistorySubject.Kind) -> [UInt8] {
        let quantities = HistoryQuantity.all(of: kind)
        var names = ["timestamp", "samples"]
        for quantity in quantities {
            names.append(quantity.name)
            if !quantity.isCounter { names += [quantity.name + "_min", quantity.name + "_max"] }
        }
        var csv = Array((names.joined(separator: ",") + "\r\n").utf8)
        csv.reserveCapacity(csv.count + buckets.count * names.count * 8)
        for bucket in buckets {
            csv.appendDecimal(time: bucket.start)
            csv.append(UInt8(ascii: ","))
            csv.appendDecimal(Int64(clamping: bucket.samples))
            for quantity in quantities {
                let aggregate = bucket[quantity]
                csv.append(UInt8(ascii: ","))
                if quantity.isCounter {
                    if let aggregate { csv.appendDecimal(aggregate.average) }
                    continue
                }
                if let aggregate { csv.appendDecimal(Float(aggregate.average)) }
                csv.append(UInt8(ascii: ","))
                if let aggregate { csv.appendDecimal(Float(aggregate.minimum)) }
                csv.append(UInt8(ascii: ","))
                if let aggregate { csv.appendDecimal(Float(aggregate.maximum)) }
            }
            csv += "\r\n".utf8
        }
        return csv
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

/// Exports a history as JSON lines.
package enum HistoryExport {
    /// The points of a subject.
    package static func lines(_ buckets: [HistoryBucket], of subject: HistorySubject) -> [UInt8] {
        FleetDocuments.lines(buckets, of: subject)
    }
}
