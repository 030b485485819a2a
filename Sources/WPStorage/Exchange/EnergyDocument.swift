// SPDX-License-Identifier: MIT

package import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Energy records as a JSON document, for backups, migration and manual editing.
///
/// Specified in docs/storage-format.md. It has no checksum; decoding validates everything else.
package enum EnergyDocument {
    /// The version that is written, and the newest supported one.
    package static let version = 1
    /// The value of `format` in every document.
    package static let format = "winpower-exporter energy export"
    /// The maximum size of a document in bytes.
    package static let largestSize = 512 << 20

    /// Why a document cannot be imported.
    package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, as a predicate of the document's name.
        package var description: String
    }

    /// The document's bytes: one device per line, in the order given.
    /// - Throws: ``WPModel/EnergyStoreError`` with code `io` for invalid records.
    package static func encode(_ records: [EnergyRecord]) throws -> [UInt8] {
        try RecordCheck.check(records)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = Array(#"{"format":"\#(format)","version":\#(version),"devices":["#.utf8)
        for (index, record) in records.enumerated() {
            bytes.append(contentsOf: (index == 0 ? "\n" : ",\n").utf8)
            bytes.append(contentsOf: try encoder.encode(DeviceEntry(record)))
        }
        bytes.append(contentsOf: "\n]}\n".utf8)
        return bytes
    }

    /// The records in a document, in order.
    /// - Throws: ``Fault`` for another format, a newer version, a missing or invalid value, or a duplicate device.
    package static func decode(_ bytes: [UInt8]) throws(Fault) -> [EnergyRecord] {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        guard let identity = try? decoder.decode(Identity.self, from: data), identity.format == format,
            identity.version >= 1
        else { throw Fault(description: "is not an energy export") }
        guard identity.version <= version else {
            throw Fault(description: "has version \(identity.version), and this program reads up to \(version)")
        }
        let content: Strict<Content, Content.CodingKeys>
        do {
            content = try decoder.decode(Strict.self, from: data)
        } catch let error as DecodingError {
            throw Fault(description: Self.finding(error))
        } catch {
            throw Fault(description: "cannot be read: \(error)")
        }
        var keys = Set<EnergyKey>()
        var records: [EnergyRecord] = []
        for (index, entry) in content.value.devices.enumerated() {
            let record = entry.value.record
            if let defect = record.defect ?? record.identifierDefect {
                throw Fault(description: "is invalid in device number \(index + 1): \(defect)")
            }
            guard keys.insert(record.key).inserted else {
                throw Fault(description: "repeats a device in device number \(index + 1)")
            }
            records.append(record)
        }
        return records
    }

    /// A value that must not have unknown members: a misspelled one would be ignored silently.
    private struct Strict<Value: Decodable, Keys: CodingKey & CaseIterable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let known = Set(Keys.allCases.map(\.stringValue))
            let found = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            if let key = found.filter({ !known.contains($0) }).min() {
                let name = String(key.unicodeScalars.prefix(40).map { $0.isASCII ? Character($0) : "?" })
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "there is no member \"\(name)\"")
                )
            }
            value = try Value(from: decoder)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Identity: Decodable {
        var format: String
        var version: Int
    }

    private struct Content: Decodable {
        var format: String
        var version: Int
        var devices: [Strict<DeviceEntry, DeviceEntry.CodingKeys>]

        enum CodingKeys: String, CodingKey, CaseIterable { case format, version, devices }
    }

    private struct DeviceEntry: Codable {
        var source: String?
        var device: String
        var joules: Double
        var compensation: Double?
        var meteredSeconds: Double
        var gapSeconds: Double
        var lastNanoseconds: Int64?
        var lastWatts: Double?
        var unverifiedSeconds: Double?
        var name: String?
        var typeCode: Int?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case source, device, joules, name
            case compensation = "compensation_joules"
            case meteredSeconds = "metered_seconds"
            case gapSeconds = "gap_seconds"
            case lastNanoseconds = "last_unix_ns"
            case lastWatts = "last_watts"
            case unverifiedSeconds = "unverified_seconds"
            case typeCode = "type_code"
        }

        init(_ record: EnergyRecord) {
            source = record.key.source == .only ? nil : record.key.source.rawValue
            device = record.key.device.rawValue
            joules = record.total.joules
            compensation = record.compensationJoules == 0 ? nil : record.compensationJoules
            meteredSeconds = record.total.meteredSeconds
            gapSeconds = record.total.gapSeconds
            lastNanoseconds = record.lastSample.flatMap { UnixNanoseconds.from($0.wall) }
            lastWatts = record.lastSample?.watts
            unverifiedSeconds = record.total.unverifiedSeconds == 0 ? nil : record.total.unverifiedSeconds
            name = record.name
            typeCode = record.typeCode
        }

        var record: EnergyRecord {
            EnergyRecord(
                key: EnergyKey(source: SourceID(rawValue: source ?? ""), device: DeviceID(device)),
                total: EnergyTotal(
                    joules: joules,
                    meteredSeconds: meteredSeconds,
                    gapSeconds: gapSeconds,
                    unverifiedSeconds: unverifiedSeconds ?? 0
                ),
                compensationJoules: compensation ?? 0,
                lastSample: lastNanoseconds.map { .init(wall: UnixNanoseconds.date($0), watts: lastWatts) },
                name: name,
                typeCode: typeCode
            )
        }
    }

    private static func finding(_ error: DecodingError) -> String {
        func location(of context: DecodingError.Context) -> String {
            for key in context.codingPath {
                if let index = key.intValue { return "device number \(index + 1)" }
            }
            return "the document"
        }
        return switch error {
        case .keyNotFound(let key, let context): "lacks \(key.stringValue) in \(location(of: context))"
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            "has a value of the wrong type for \(context.codingPath.last?.stringValue ?? "devices") "
                + "in \(location(of: context))"
        case .dataCorrupted(let context):
            "cannot be read: \(context.debugDescription)"
                + (context.codingPath.isEmpty ? "" : " in \(location(of: context))")
        @unknown default: "cannot be read"
        }
    }
}
