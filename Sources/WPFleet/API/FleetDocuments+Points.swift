// SPDX-License-Identifier: MIT

import WPCore
package import WPHistory

extension FleetDocuments {
    /// The points of a history as a JSON array.
    /// - Parameter members: the members of each point besides its values, each with a leading comma.
    static func points(_ buckets: [HistoryBucket], members: String) -> [UInt8] {
        var json = Array("[".utf8)
        for (index, bucket) in buckets.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            append(bucket, members: members, to: &json)
        }
        json.append(UInt8(ascii: "]"))
        return json
    }

    /// Appends a point as a JSON object: for each quantity its average, minimum and maximum, or only the increase of a
    /// counter.
    static func append(_ bucket: HistoryBucket, members: String, to json: inout [UInt8]) {
        json += "{\"timestamp\":\"\(time(bucket.start))\"\(members),\"samples\":\(bucket.samples)".utf8
        for aggregate in bucket.aggregates {
            let name = aggregate.quantity.name
            if aggregate.quantity.isCounter {
                json += ",\"\(name)\":".utf8
                json.appendDecimal(aggregate.average)
                continue
            }
            for (suffix, value) in [
                ("", aggregate.average), ("_min", aggregate.minimum), ("_max", aggregate.maximum),
            ] {
                json += ",\"\(name)\(suffix)\":".utf8
                json.appendDecimal(Float(value))
            }
        }
        json.append(UInt8(ascii: "}"))
    }

    /// The points of a history as CSV (RFC 4180), with a column for each quantity, empty if unknown.
    static func table(_ buckets: [HistoryBucket], of kind: HistorySubject.Kind) -> [UInt8] {
        let quantities = HistoryQuantity.all(of: kind)
        let names = quantities.flatMap { $0.isCounter ? [$0.name] : [$0.name, "\($0.name)_min", "\($0.name)_max"] }
        var csv = Array((["timestamp", "samples"] + names).joined(separator: ",").utf8)
        for bucket in buckets {
            csv += "\r\n\(time(bucket.start)),\(bucket.samples)".utf8
            for quantity in quantities {
                guard let aggregate = bucket[quantity] else {
                    csv += (quantity.isCounter ? "," : ",,,").utf8
                    continue
                }
                csv.append(UInt8(ascii: ","))
                if quantity.isCounter {
                    csv.appendDecimal(aggregate.average)
                    continue
                }
                csv.appendDecimal(Float(aggregate.average))
                csv.append(UInt8(ascii: ","))
                csv.appendDecimal(Float(aggregate.minimum))
                csv.append(UInt8(ascii: ","))
                csv.appendDecimal(Float(aggregate.maximum))
            }
        }
        return csv + "\r\n".utf8
    }
}

/// Exports a history as JSON lines.
package enum HistoryExport {
    /// The points of a subject, each with its subject and its duration.
    package static func lines(_ buckets: [HistoryBucket], of subject: HistorySubject) -> [UInt8] {
        let members =
            ",\"kind\":\"\(subject.kind.rawValue)\",\"site\":\(JSONText.quoted(subject.site)),"
            + "\"name\":\(JSONText.quoted(subject.name))"
        return buckets.reduce(into: []) { json, bucket in
            FleetDocuments.append(bucket, members: "\(members),\"seconds\":\(bucket.seconds)", to: &json)
            json.append(0x0A)
        }
    }

    /// Events as JSON lines.
    package static func lines(_ events: [HistoryEvent]) -> [UInt8] {
        Array(events.map { FleetDocuments.line($0) + "\n" }.joined().utf8)
    }
}
