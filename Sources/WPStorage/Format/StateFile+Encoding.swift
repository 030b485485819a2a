// SPDX-License-Identifier: MIT

import WPCore
import WPModel

extension StateFile {
    /// The file's bytes, padded to a size.
    /// - Parameter size: the size to keep if the state fits and fills enough of it; otherwise, or if nil, adds room for
    ///   growing numbers.
    func encoded(filling size: Int? = nil) -> [UInt8] {
        let body = records.flatMap(Self.line)
        let checksum = CRC32.hex(body[...])

        let largest = Self.headerRoom + body.count + body.count / 16
        let roomy = (largest / Self.pageSize + 1) * Self.pageSize
        if let size, size <= 2 * roomy {
            let content = header(fileBytes: size, body: body, checksum: checksum) + body
            if content.count <= size { return Self.padded(content, to: size) }
        }
        return Self.padded(header(fileBytes: roomy, body: body, checksum: checksum) + body, to: roomy)
    }

    private func header(fileBytes: Int, body: [UInt8], checksum: String) -> [UInt8] {
        let columns = Self.columns.map { "\"\($0)\"" }.joined(separator: ",")
        let covered = Array(
            (#"{"format":"\#(Self.format)","version":\#(Self.version),"generation":\#(generation),"#
                + #""file_bytes":\#(fileBytes),"columns":[\#(columns)],"records":\#(records.count),"#
                + #""body_bytes":\#(body.count),"body_crc32":"\#(checksum)""#).utf8
        )
        return covered + Array(#","head_crc32":"\#(CRC32.hex(covered[...]))"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    /// Adds the padding: spaces and a line feed, which JSON Lines ignores.
    private static func padded(_ content: [UInt8], to size: Int) -> [UInt8] {
        // A file of another size than its header says would be read as damaged.
        precondition(content.count <= size, "the header of an energy file exceeds its room")
        guard content.count < size else { return content }
        return content + [UInt8](repeating: UInt8(ascii: " "), count: size - content.count - 1) + [UInt8(ascii: "\n")]
    }

    /// A record's line, with the values of ``columns``.
    private static func line(_ record: EnergyRecord) -> [UInt8] {
        let nanoseconds = record.lastSample.flatMap { UnixNanoseconds.from($0.wall) }
        let total = record.total
        let values: [String?] = [
            JSONText.quoted(record.key.source.rawValue), JSONText.quoted(record.key.device.rawValue),
            number(total.joules), number(record.compensationJoules), number(total.meteredSeconds),
            number(total.gapSeconds), nanoseconds.map(String.init),
            nanoseconds == nil ? nil : record.lastSample?.watts.map(number), number(total.unverifiedSeconds),
            record.name.map { JSONText.quoted($0) }, record.typeCode.map(String.init),
        ]
        return Array("[\(values.map { $0 ?? "null" }.joined(separator: ","))]\n".utf8)
    }

    /// The shortest decimal that round-trips; whole numbers without `.0`.
    private static func number(_ number: Double) -> String {
        let digits = number.description
        return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    }
}
