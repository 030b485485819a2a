// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

/// Encodes the points of a history as JSON.
struct PointWriter {
    /// The names of a quantity's values, including punctuation: average, minimum and maximum, or only the increase of a
    /// counter.
    private static let names: [HistoryQuantity: [[UInt8]]] = Dictionary(
        HistoryQuantity.allCases.map { quantity in
            let suffixes = quantity.isCounter ? [""] : ["", "_min", "_max"]
            return (quantity, suffixes.map { Array(",\"\(quantity.name)\($0)\":".utf8) })
        },
        uniquingKeysWith: { first, _ in first }
    )

    /// The members common to all points, with a leading comma.
    private let members: [UInt8]
    private(set) var json: [UInt8]

    /// - Parameters:
    ///   - members: the members of each point besides its values, with a leading comma.
    ///   - head: the text before the points.
    ///   - points: the approximate number of points.
    init(members: [UInt8], head: [UInt8] = [], points: Int) {
        self.members = members
        json = head
        json.reserveCapacity(head.count + points * 720)
    }

    /// Appends a point.
    mutating func append(_ bucket: HistoryBucket) {
        put("{\"timestamp\":\"")
        json.appendDecimal(time: bucket.start)
        put("\"")
        json += members
        put(",\"samples\":")
        json.appendDecimal(Int64(clamping: bucket.samples))
        for aggregate in bucket.aggregates {
            guard let names = Self.names[aggregate.quantity] else {
                preconditionFailure("\(aggregate.quantity) has no name")
            }
            guard names.count == 3 else {
                json += names[0]
                json.appendDecimal(aggregate.average)
                continue
            }
            for (name, value) in zip(names, [aggregate.average, aggregate.minimum, aggregate.maximum]) {
                json += name
                json.appendDecimal(Float(value))
            }
        }
        put("}")
    }

    /// Appends a separator.
    mutating func append(_ byte: UInt8) { json.append(byte) }

    /// Appends text.
    mutating func put(_ text: String) { json += text.utf8 }
}
