// SPDX-License-Identifier: MIT

import WPModel

extension StateFile {
    /// The file's bytes.
    func encoded() -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(records.count * 160)
        for record in records { Self.append(record, to: &body) }

        var file = Array(
            #"{"format":"\#(Self.format)","version":\#(Self.version),"generation":\#(generation),"columns":["#.utf8
        )
        file.append(contentsOf: Self.columns.map { "\"\($0)\"" }.joined(separator: ",").utf8)
        let checksum = CRC32.hex(body[...])
        file.append(
            contentsOf: #"],"records":\#(records.count),"body_bytes":\#(body.count),"body_crc32":"\#(checksum)""#.utf8
        )
        file.append(contentsOf: #","head_crc32":"\#(CRC32.hex(file[...]))"}"#.utf8)
        file.append(UInt8(ascii: "\n"))
        file.append(contentsOf: body)
        return file
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
        bytes.append(contentsOf: "]\n".utf8)
    }

    /// The shortest decimal that reads back as the same number; whole numbers without the `.0`.
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
