// SPDX-License-Identifier: MIT

/// The stored form of a bucket's quantities. Each begins with a byte that contains its number. If the top bit is set,
/// the number of samples follows as LEB128; otherwise, it is that of the bucket. Then, in little endian, follow the
/// average, minimum and maximum as 32-bit floats, or the increase of a counter as a 64-bit float.
///
/// 32-bit floats have seven digits, more than any sensor provides, at half the size. Rounding is monotonic, so a mean
/// stays within its bounds.
extension HistoryBucket {
    private static let countFollows: UInt8 = 0x80

    /// The encoded bytes.
    package var aggregateBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(aggregates.count * 13)
        for aggregate in aggregates {
            // Counter increases moved from removed buckets have no samples.
            let count = max(1, aggregate.count)
            let hasCount = count != samples
            bytes.append(aggregate.quantity.rawValue | (hasCount ? Self.countFollows : 0))
            if hasCount { bytes.appendNumber(UInt64(clamping: count)) }
            if aggregate.quantity.isCounter {
                bytes.appendLittleEndian(aggregate.average.bitPattern)
            } else {
                for value in [aggregate.average, aggregate.minimum, aggregate.maximum] {
                    bytes.appendLittleEndian(Float(value).bitPattern)
                }
            }
        }
        return bytes
    }

    /// Decodes ``aggregateBytes``; nil if damaged. Skips quantities of later versions.
    package init?(start: Int64, seconds: Int64, samples: Int, bytes: UnsafeRawBufferPointer) {
        guard seconds > 0, samples > 0 else { return nil }
        self.init(start: start, seconds: seconds, samples: samples)
        var reader = BytesReader(bytes)
        while !reader.isAtEnd {
            guard let mark = reader.byte() else { return nil }
            var count = samples
            if mark & Self.countFollows != 0 {
                guard let number = reader.number(), let exact = Int(exactly: number), exact > 0 else { return nil }
                count = exact
            }
            let number = mark & ~Self.countFollows
            var values = [0.0, 0, 0]
            if number >= 64 {
                guard let increase = reader.uint64().map(Double.init(bitPattern:)), increase.isFinite else {
                    return nil
                }
                values[0] = increase
            } else {
                for index in values.indices {
                    guard let value = reader.float() else { return nil }
                    values[index] = value
                }
            }
            guard let quantity = HistoryQuantity(rawValue: number) else { continue }
            aggregates.append(
                Aggregate(quantity, count: count, average: values[0], minimum: values[1], maximum: values[2])
            )
        }
    }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends seven bits per byte, lowest first, with the top bit set on all but the last (LEB128).
    mutating func appendNumber(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// Reads numbers from bytes. A method returns nil if too few bytes are left.
struct BytesReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func uint64() -> UInt64? { word().map(UInt64.init(littleEndian:)) }

    mutating func bigEndian<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        word().map(Number.init(bigEndian:))
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Reads a 32-bit float; nil if it is not finite.
    mutating func float() -> Double? {
        guard let bits: UInt32 = word() else { return nil }
        let value = Float(bitPattern: UInt32(littleEndian: bits))
        return value.isFinite ? Double(value) : nil
    }

    private mutating func word<Word: FixedWidthInteger>() -> Word? {
        let size = MemoryLayout<Word>.size
        guard offset + size <= bytes.count else { return nil }
        defer { offset += size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Word.self)
    }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 63, by: 7) {
            guard let byte = byte() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
