// SPDX-License-Identifier: MIT

import WPModel

extension StateFile {
    /// The file's bytes, padded to a size.
    /// - Parameter size: the size to keep if the state fits and fills enough of it; otherwise, or if nil, adds room for
    ///   growing numbers.
    func encoded(filling size: Int? = nil) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(records.count * 160)
        for record in records { Self.append(record, to: &body) }
        let checksum = CRC32.hex(body[...])

        let largest = Self.headerRoom + body.count + body.count / 16
        let roomy = (largest / Self.pageSize + 1) * Self.pageSize
        for size in [size, roomy].compactMap({ $0 }) where size <= 2 * roomy {
            let header = header(fileBytes: size, body: body, checksum: checksum)
            if header.count + body.count <= size { return Self.joined(header, body, paddedTo: size) }
        }
        return Self.joined(header(fileBytes: 2 * roomy, body: body, checksum: checksum), body, paddedTo: 2 * roomy)
    }

    private func header(fileBytes: Int, body: [UInt8], checksum: String) -> [UInt8] {
        var header: [UInt8] = []
        header.reserveCapacity(Self.headerRoom)
        header.append(contentsOf: Self.identity)
        header.append(contentsOf: generation.description.utf8)
        header.append(contentsOf: #","file_bytes":"#.utf8)
        header.append(contentsOf: fileBytes.description.utf8)
        header.append(contentsOf: Self.columnNames)
        header.append(contentsOf: records.count.description.utf8)
        header.append(contentsOf: #","body_bytes":"#.utf8)
        header.append(contentsOf: body.count.description.utf8)
        header.append(contentsOf: #","body_crc32":""#.utf8)
        header.append(contentsOf: checksum.utf8)
        header.append(UInt8(ascii: "\""))
        let headChecksum = CRC32.hex(header[...])
        header.append(contentsOf: #","head_crc32":""#.utf8)
        header.append(contentsOf: headChecksum.utf8)
        header.append(contentsOf: "\"}\n".utf8)
        return header
    }

    private static let identity = Array(#"{"format":"\#(format)","version":\#(version),"generation":"#.utf8)
    private static let columnNames = Array(
        #","columns":[\#(columns.map { "\"\($0)\"" }.joined(separator: ","))],"records":"#.utf8
    )

    /// The padding is spaces and a line feed, which JSON Lines ignores.
    private static func joined(_ header: [UInt8], _ body: [UInt8], paddedTo size: Int) -> [UInt8] {
        let padding = size - header.count - body.count
        return [UInt8](unsafeUninitializedCapacity: max(size, header.count + body.count)) { buffer, count in
            _ = buffer.update(fromContentsOf: header)
            _ = buffer[header.count...].update(fromContentsOf: body)
            count = header.count + body.count
            guard padding > 0 else { return }
            buffer[count..<size].update(repeating: UInt8(ascii: " "))
            buffer[size - 1] = UInt8(ascii: "\n")
            count = size
        }
    }

    private static func append(_ record: EnergyRecord, to bytes: inout [UInt8]) {
        let comma = UInt8(ascii: ",")
        bytes.append(UInt8(ascii: "["))
        append(text: record.key.source.rawValue, to: &bytes)
        bytes.append(comma)
        append(text: record.key.device.rawValue, to: &bytes)
        let numbers = [
            record.total.joules, record.compensationJoules, record.total.meteredSeconds, record.total.gapSeconds,
        ]
        for number in numbers {
            bytes.append(comma)
            append(number: number, to: &bytes)
        }
        bytes.append(comma)
        if let sample = record.lastSample, let nanoseconds = UnixNanoseconds.from(sample.wall) {
            bytes.append(contentsOf: nanoseconds.description.utf8)
            bytes.append(comma)
            if let watts = sample.watts {
                append(number: watts, to: &bytes)
            } else {
                bytes.append(contentsOf: "null".utf8)
            }
        } else {
            bytes.append(contentsOf: "null,null".utf8)
        }
        bytes.append(comma)
        append(number: record.total.unverifiedSeconds, to: &bytes)
        bytes.append(comma)
        if let name = record.name {
            append(text: name, to: &bytes)
        } else {
            bytes.append(contentsOf: "null".utf8)
        }
        bytes.append(comma)
        bytes.append(contentsOf: (record.typeCode?.description ?? "null").utf8)
        bytes.append(contentsOf: "]\n".utf8)
    }

    /// The shortest decimal that round-trips; whole numbers without `.0`.
    private static func append(number: Double, to bytes: inout [UInt8]) {
        var digits = number.description.utf8[...]
        if digits.suffix(2).elementsEqual(".0".utf8) { digits = digits.dropLast(2) }
        bytes.append(contentsOf: digits)
    }

    private static func append(text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: #"\u00"#.utf8)
                bytes.append(hexDigit(byte >> 4))
                bytes.append(hexDigit(byte & 0xF))
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
