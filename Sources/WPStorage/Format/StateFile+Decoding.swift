// SPDX-License-Identifier: MIT

import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StateFile {
    /// Why a state file is invalid.
    enum Flaw: Error, Equatable {
        /// The damage, to follow "the file" in messages.
        case damaged(String)
        /// The header is valid, with a version beyond ``StateFile/version``.
        case newer(version: Int)

        /// The flaw as a predicate of the file.
        var finding: String {
            switch self {
            case .damaged(let finding): finding
            case .newer(let version): "has format version \(version)"
            }
        }
    }

    /// Decodes a file, validating every byte.
    init(decoding bytes: [UInt8]) throws(Flaw) {
        guard !bytes.isEmpty else { throw .damaged("is empty") }
        guard let newline = bytes.prefix(Self.largestHeader).firstIndex(of: UInt8(ascii: "\n")) else {
            throw .damaged("has no complete header line")
        }
        let header = try Self.header(bytes[..<newline])
        guard bytes.count == header.fileBytes else {
            throw .damaged("has \(bytes.count) bytes instead of \(header.fileBytes)")
        }
        let rest = bytes[(newline + 1)...]
        let body = rest.prefix(header.bodyBytes)
        guard body.count == header.bodyBytes else {
            throw .damaged("holds \(body.count) bytes after its header instead of \(header.bodyBytes)")
        }
        let padding = rest.dropFirst(header.bodyBytes)
        guard padding.isEmpty || padding.last == UInt8(ascii: "\n"),
            padding.dropLast().allSatisfy({ $0 == UInt8(ascii: " ") })
        else { throw .damaged("has data after its records") }
        guard CRC32.hex(body) == header.bodyChecksum else {
            throw .damaged("does not match the checksum in its header")
        }
        generation = header.generation
        records = try Self.records(body, count: header.records)
    }

    /// The generation in a valid header, regardless of the rest of the file.
    static func generation(inHeaderOf bytes: [UInt8]) -> Int? {
        guard let newline = bytes.prefix(Self.largestHeader).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        // lint: bytes of a file
        return try? header(bytes[..<newline]).generation
    }

    private struct Identity: Decodable {
        var format: String
        var version: Int
    }

    private struct Header: Decodable {
        var generation: Int
        var fileBytes: Int
        var records: Int
        var bodyBytes: Int
        var bodyChecksum: String

        enum CodingKeys: String, CodingKey {
            case generation, records
            case fileBytes = "file_bytes"
            case bodyBytes = "body_bytes"
            case bodyChecksum = "body_crc32"
        }
    }

    /// Every version's header line ends with its checksum, so that a newer version can be distinguished from damage.
    private static func header(_ line: ArraySlice<UInt8>) throws(Flaw) -> Header {
        let checksumLength = #","head_crc32":"01234567"}"#.utf8.count
        let covered = line.dropLast(checksumLength)
        guard line.dropFirst(covered.count).elementsEqual(#","head_crc32":"\#(CRC32.hex(covered))"}"#.utf8) else {
            throw .damaged("has a header that does not match its own checksum")
        }
        let decoder = JSONDecoder()
        guard let identity = try? decoder.decode(Identity.self, from: Data(line)), identity.format == format,
            identity.version >= 1
        else { throw .damaged("has the header of another file type") }
        guard identity.version <= version else { throw .newer(version: identity.version) }
        guard let header = try? decoder.decode(Header.self, from: Data(line)),
            header.generation >= 0, header.records >= 0, header.bodyBytes >= 0
        else { throw .damaged("has a header that lacks a value") }
        return header
    }

    private static func records(_ body: ArraySlice<UInt8>, count: Int) throws(Flaw) -> [EnergyRecord] {
        var records: [EnergyRecord] = []
        var keys = Set<EnergyKey>()
        let decoder = JSONDecoder()
        var rest = body
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<newline]
            rest = rest[(newline + 1)...]
            let number = records.count + 2
            guard let record = (try? decoder.decode(RecordLine.self, from: Data(line)))?.record else {
                throw .damaged("has an invalid record in line \(number)")
            }
            if let defect = record.defect { throw .damaged("is invalid in line \(number): \(defect)") }
            guard keys.insert(record.key).inserted else { throw .damaged("repeats a device in line \(number)") }
            records.append(record)
        }
        guard rest.isEmpty, records.count == count else {
            throw .damaged("holds \(records.count) records instead of \(count)")
        }
        return records
    }

    private struct RecordLine: Decodable {
        var record: EnergyRecord

        init(from decoder: any Decoder) throws {
            var line = try decoder.unkeyedContainer()
            let source = SourceID(rawValue: try line.decode(String.self))
            let device = DeviceID(rawValue: try line.decode(String.self))
            let joules = try line.decode(Double.self)
            let compensation = try line.decode(Double.self)
            let metered = try line.decode(Double.self)
            let gap = try line.decode(Double.self)
            let nanoseconds = try line.decode(Int64?.self)
            let watts = try line.decode(Double?.self)
            // Versions before 0.1.0 ended the line here.
            let unverified = line.isAtEnd ? 0 : try line.decode(Double.self)
            let name = line.isAtEnd ? nil : try line.decode(String?.self)
            let typeCode = line.isAtEnd ? nil : try line.decode(Int?.self)
            record = EnergyRecord(
                key: EnergyKey(source: source, device: device),
                total: EnergyTotal(
                    joules: joules,
                    meteredSeconds: metered,
                    gapSeconds: gap,
                    unverifiedSeconds: unverified
                ),
                compensationJoules: compensation,
                lastSample: nanoseconds.map { .init(wall: UnixNanoseconds.date($0), watts: watts) },
                name: name,
                typeCode: typeCode
            )
        }
    }
}
