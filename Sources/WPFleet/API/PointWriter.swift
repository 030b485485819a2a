// SPDX-License-Identifier: MIT

import WPHistory
import WPText

/// Writes the points of a history as JSON, without a text of its own per value: a query may have 240,000 of them.
struct PointWriter {
    /// What stands in front of each value of a quantity, with a comma: of the average, the minimum and the maximum.
    private let names: [[[UInt8]]]
    /// Members that each point has, with a comma in front.
    private let members: [UInt8]
    private(set) var json: [UInt8]

    /// - Parameters:
    ///   - members: what each point has besides its values, with a comma in front.
    ///   - head: what the text begins with.
    ///   - points: about how many points there will be.
    init(members: [UInt8], head: [UInt8] = [], points: Int) {
        self.members = members
        var names = [[[UInt8]]](repeating: [], count: 256)
        for quantity in HistoryQuantity.allCases {
            let suffixes = quantity.isCounter ? [""] : ["", "_min", "_max"]
            names[Int(quantity.rawValue)] = suffixes.map { Array(",\"\(quantity.name)\($0)\":".utf8) }
        }
        self.names = names
        json = head
        json.reserveCapacity(head.count + points * 720)
    }

    /// Appends a point.
    mutating func append(_ bucket: HistoryBucket) {
        put("{\"timestamp\":\"")
        DecimalText.append(time: bucket.start, to: &json)
        json.append(UInt8(ascii: "\""))
        json += members
        put(",\"samples\":")
        DecimalText.append(bucket.samples, to: &json)
        for aggregate in bucket.aggregates {
            let names = names[Int(aggregate.quantity.rawValue)]
            json += names[0]
            if aggregate.quantity.isCounter {
                put(FleetDocuments.number(aggregate.average))
                continue
            }
            DecimalText.append(Float(aggregate.average), to: &json)
            json += names[1]
            DecimalText.append(Float(aggregate.minimum), to: &json)
            json += names[2]
            DecimalText.append(Float(aggregate.maximum), to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    /// Appends what stands between points.
    mutating func append(_ byte: UInt8) { json.append(byte) }

    /// Appends text.
    mutating func put(_ text: String) { json += text.utf8 }

    /// Appends text without making one.
    private mutating func put(_ text: StaticString) {
        json.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// Numbers and moments as decimal text, straight into bytes.
enum DecimalText {
    private static let powers: [Double] = (0...9).map { exponent in
        (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }

    /// Appends a number with seven digits, the least that a 32-bit float always has, without zeros at the end.
    static func append(_ value: Float, to bytes: inout [UInt8]) {
        let magnitude = Double(value.magnitude)
        // What has an exponent, or is no number, is rare.
        guard magnitude >= 1e-3 && magnitude < 1e7 else {
            if magnitude == 0 { return bytes.append(UInt8(ascii: "0")) }
            guard value.isFinite else { return bytes.append(contentsOf: "null".utf8) }
            if magnitude < 1e15, magnitude >= 1, value.rounded(.towardZero) == value {
                return append(Int(value), to: &bytes)
            }
            return bytes.append(contentsOf: value.description.utf8)
        }
        var decimals = 6
        var whole = magnitude
        while whole >= 10 {
            whole /= 10
            decimals -= 1
        }
        if magnitude < 1 {
            decimals = magnitude >= 0.1 ? 7 : magnitude >= 0.01 ? 8 : 9
        }
        var scaled = UInt64((magnitude * powers[decimals]).rounded())
        while decimals > 0, scaled % 10 == 0 {
            scaled /= 10
            decimals -= 1
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            var index = 24
            var rest = scaled
            var written = 0
            repeat {
                if written == decimals, decimals > 0 {
                    index -= 1
                    text[index] = UInt8(ascii: ".")
                }
                index -= 1
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                written += 1
            } while rest > 0 || written <= decimals
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index...]))
        }
    }

    /// Appends a whole number.
    static func append(_ value: Int, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var index = 20
            var rest = value.magnitude
            repeat {
                index -= 1
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index...]))
        }
    }

    /// Appends a moment in whole seconds since 1970 as RFC 3339 has it, in UTC, for the years 1970 to 9999.
    static func append(time seconds: Int64, to bytes: inout [UInt8]) {
        let date = GregorianDate(daysSince1970: Int(seconds / 86_400))
        let time = Int(seconds % 86_400)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            func put(_ number: Int, at end: Int, digits: Int, _ mark: Unicode.Scalar) {
                var rest = number
                for index in stride(from: end - 1, through: end - digits, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                text[end] = UInt8(ascii: mark)
            }
            put(date.year, at: 4, digits: 4, "-")
            put(date.month, at: 7, digits: 2, "-")
            put(date.day, at: 10, digits: 2, "T")
            put(time / 3600, at: 13, digits: 2, ":")
            put(time / 60 % 60, at: 16, digits: 2, ":")
            put(time % 60, at: 19, digits: 2, "Z")
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }
}
