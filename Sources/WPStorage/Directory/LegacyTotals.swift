// SPDX-License-Identifier: MIT

import WPCore
import WPLogging
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the totals of the Go exporter: one text file per device, named after its identifier, with Unix milliseconds in
/// the first line and watt-hours in the second.
///
/// The files are only read. Invalid files are logged and skipped.
struct LegacyTotals {
    private static let suffix = ".txt"
    private static let largestFile = 4096
    private static let largestCount = 100_000

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    let logger: Logger

    /// The records, sorted by device.
    func read() throws(EnergyStoreError) -> [EnergyRecord] {
        let names: [String]
        do {
            names = try fileSystem.names(in: paths.directory, limit: Self.largestCount)
        } catch {
            if error.isAboutMissingFile { return [] }
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be listed")
        }
        if names.count == Self.largestCount {
            logger.warn(
                "The data directory contains too many files; totals beyond the limit were not imported",
                ["path": .string(paths.directory), "limit": .int(Self.largestCount)]
            )
        }
        var records: [EnergyRecord] = []
        for name in names.map(ByteString.init).sorted() {
            guard let device = Self.device(of: name.text), let record = try record(of: device, in: name.text) else {
                continue
            }
            records.append(record)
        }
        return records
    }

    /// The device that a file name identifies. Compares bytes, because a `Character` may combine with the suffix.
    private static func device(of name: String) -> DeviceID? {
        let name = Array(name.utf8)
        guard name.count > suffix.utf8.count, name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else {
            return nil
        }
        return DeviceID(String(decoding: name.dropLast(suffix.utf8.count), as: UTF8.self))
    }

    private func record(of device: DeviceID, in name: String) throws(EnergyStoreError) -> EnergyRecord? {
        let path = paths.inside(name)
        do {
            guard let bytes = try fileSystem.readFile(path, limit: Self.largestFile) else { return nil }
            if let record = Self.record(of: device, from: String(decoding: bytes, as: UTF8.self)) { return record }
        } catch {
            // A long file or a directory was not written by the exporter.
            guard error.number == EFBIG || error.number == EINVAL else {
                throw EnergyStoreError(error, while: "The total in \(path) could not be adopted")
            }
        }
        logger.warn(
            "A text file does not contain a total of the Go exporter and was not imported",
            ["path": .string(path), "expected": "Unix milliseconds, then watt-hours, on separate lines"]
        )
        return nil
    }

    private static func record(of device: DeviceID, from text: String) -> EnergyRecord? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split(whereSeparator: \.isWhitespace) }
            .filter { !$0.isEmpty }
        guard lines.count == 2, lines[0].count == 1, lines[1].count == 1 else { return nil }
        let (time, energy) = (lines[0][0], lines[1][0])
        // `Double` also accepts "nan", "inf" and hexadecimal.
        guard let milliseconds = Int64(time), milliseconds > 0,
            energy.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }), let wattHours = Double(energy)
        else { return nil }
        let record = EnergyRecord(
            key: EnergyKey(device: device),
            total: EnergyTotal(joules: wattHours * 3600),
            lastSample: .init(wall: Date(timeIntervalSince1970: Double(milliseconds) / 1000), watts: nil)
        )
        return record.defect == nil ? record : nil
    }
}
