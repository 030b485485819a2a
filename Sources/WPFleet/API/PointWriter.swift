// SPDX-License-Identifier: MIT

import WPHistory
import WPText

/// Writes the points of a history as JSON, without a text of its own per value: a query may have 240,000 of them. Each point
/// is put together by pointer, in memory that serves all of them, and goes into the text as a whole.
struct PointWriter {
    /// The names are copied in words of this many bytes, so up to that many more are read and written.
    private static let word = 8

    /// The names of all values.
    private let table = NameTable.all
    /// Members that each point has, with a comma in front.
    private let members: [UInt8]
    private(set) var json: [UInt8]
    private var room = Room(capacity: 4096)

    /// Where a point is put together.
    private final class Room {
        let start: UnsafeMutablePointer<UInt8>
        let capacity: Int

        init(capacity: Int) {
            start = .allocate(capacity: capacity)
            self.capacity = capacity
        }

        deinit {
            start.deallocate()
        }
    }

    /// What stands in front of each value.
    private struct NameTable {
        static let all = NameTable()

        struct Place {
            var start = 0
            var count = 0
        }

        /// One after the other, each filled up to whole words.
        let names: [UInt8]
        /// Where in ``names`` that of each value is: of the average, the minimum and the maximum of each quantity by its
        /// number.
        let places: [Place]

        init() {
            var names: [UInt8] = []
            var places = [Place](repeating: Place(), count: 3 << 8)
            for quantity in HistoryQuantity.allCases {
                let suffixes = quantity.isCounter ? [""] : ["", "_min", "_max"]
                for (index, suffix) in suffixes.enumerated() {
                    let start = names.count
                    names += ",\"\(quantity.name)\(suffix)\":".utf8
                    places[PointWriter.index(of: quantity) + index] = Place(start: start, count: names.count - start)
                    while names.count % word != 0 { names.append(0) }
                }
            }
            (self.names, self.places) = (names, places)
        }
    }

    /// - Parameters:
    ///   - members: what each point has besides its values, with a comma in front.
    ///   - head: what the text begins with.
    ///   - points: about how many points there will be.
    init(members: [UInt8], head: [UInt8] = [], points: Int) {
        self.members = members
        json = head
        json.reserveCapacity(head.count + points * 720)
    }

    private static func index(of quantity: HistoryQuantity) -> Int { 3 * Int(quantity.rawValue) }

    /// Appends a point.
    mutating func append(_ bucket: HistoryBucket) {
        // Longer than any name.
        let longestName = 64
        let needed =
            64 + DecimalText.timeLength + members.count
            + (1 + 3 * bucket.aggregates.count) * (longestName + DecimalText.numberCapacity)
        if needed > room.capacity { room = Room(capacity: 2 * needed) }
        let start = room.start
        let end = table.names.withUnsafeBytes { names in
            table.places.withUnsafeBufferPointer { places in
                bucket.aggregates.withUnsafeBufferPointer { aggregates in
                    var end = head(bucket, to: start)
                    for aggregate in aggregates {
                        end = Self.write(aggregate, names, places, to: end)
                    }
                    return end
                }
            }
        }
        end.pointee = UInt8(ascii: "}")
        json.append(contentsOf: UnsafeBufferPointer(start: start, count: end + 1 - start))
    }

    /// Writes what stands in front of the values.
    /// - Returns: the end of it.
    private func head(
        _ bucket: HistoryBucket,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var end = Self.write("{\"timestamp\":\"", to: start)
        DecimalText.write(time: bucket.start, to: end)
        end += DecimalText.timeLength
        end.pointee = UInt8(ascii: "\"")
        end += 1
        members.withUnsafeBufferPointer { members in
            guard let source = members.baseAddress else { return }
            end.update(from: source, count: members.count)
            end += members.count
        }
        end = Self.write(",\"samples\":", to: end)
        return end + DecimalText.write(Int64(clamping: bucket.samples), to: end)
    }

    private static func write(
        _ aggregate: HistoryBucket.Aggregate,
        _ names: UnsafeRawBufferPointer,
        _ places: UnsafeBufferPointer<NameTable.Place>,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let index = index(of: aggregate.quantity)
        var end = write(places[index], of: names, to: start)
        if aggregate.quantity.isCounter { return end + DecimalText.write(aggregate.average, to: end) }
        let (average, text) = (Float(aggregate.average), end)
        end += DecimalText.write(average, to: end)
        let count = end - text
        // What never changed in the bucket, as a nominal voltage, has one text for all three.
        @inline(__always)
        func bound(_ value: Double) {
            let value = Float(value)
            if value == average {
                copy(text, count, to: end)
                end += count
            } else {
                end += DecimalText.write(value, to: end)
            }
        }
        end = write(places[index + 1], of: names, to: end)
        bound(aggregate.minimum)
        end = write(places[index + 2], of: names, to: end)
        bound(aggregate.maximum)
        return end
    }

    /// Copies a name, in words: it is too short for a call.
    @inline(__always)
    private static func write(
        _ place: NameTable.Place,
        of names: UnsafeRawBufferPointer,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        if let base = names.baseAddress { copy(base + place.start, place.count, to: start) }
        return start + place.count
    }

    /// Copies in words, so that up to seven bytes more are read and written: what is copied here is too short for a call.
    @inline(__always)
    private static func copy(_ source: UnsafeRawPointer, _ count: Int, to start: UnsafeMutablePointer<UInt8>) {
        let target = UnsafeMutableRawPointer(start)
        for offset in stride(from: 0, to: count, by: word) {
            let piece = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: piece, toByteOffset: offset, as: UInt64.self)
        }
    }

    private static func write(
        _ text: StaticString,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        start.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        return start + text.utf8CodeUnitCount
    }

    /// Appends what stands between points.
    mutating func append(_ byte: UInt8) { json.append(byte) }

    /// Appends text.
    mutating func put(_ text: String) { json += text.utf8 }
}
