// SPDX-License-Identifier: MIT

package import WPConfig
import WPLogging
package import WPModel
import WPSettings
import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The actions on the energy totals in a data directory.
package enum EnergyAction: Equatable, Sendable {
    case list(EnergyFormat)
    case show(DeviceID, EnergyFormat)
    /// To this file; nil for standard output.
    case export(String?)
    case `import`(String, reason: String?)
    case set(DeviceID, wattHours: Double, reason: String?)
    case reset(DeviceID, reason: String?)
    case remove(DeviceID, reason: String?)
    case move(DeviceID, DeviceID, reason: String?)
    case adopt(reason: String?)

    /// The maximum total in watt-hours: one petawatt-hour.
    package static let largestWattHours = EnergyTotal.largestJoules / 3600
    /// The maximum size of a reason, in bytes.
    package static let longestReason = 1000

    /// Performs the action. Warnings go to standard error.
    /// - Parameter width: the table width in columns; nil for unlimited.
    /// - Returns: the output.
    package func perform(_ settings: StorageSettings, width: Int? = nil) async throws -> String {
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let totals = EnergyTotals(settings, logger: logging.logger)
        switch self {
        case .list(let format):
            return try EnergyReport(try await totals.read()).text(format, width: width)
        case .show(let device, let format):
            return try EnergyReport([try await totals.record(of: device)]).text(format, width: width)
        case .export(nil):
            return String(decoding: try EnergyDocument.encode(try await totals.read()), as: UTF8.self)
        case .export(let path?):
            let records = try await totals.read()
            try Self.write(try EnergyDocument.encode(records), to: path)
            return "Wrote \(records.count) devices to \(path).\n"
        case .import(let path, let reason):
            let imported = try Self.read(path)
            let count = try await totals.replace(with: imported, reason: reason)
            return "Imported \(imported.count) devices from \(path); \(count) of them changed.\n"
        case .set(let device, let wattHours, let reason):
            try await totals.change(device, "set", reason: reason) { $0.joules = wattHours * 3600 }
        case .reset(let device, let reason):
            try await totals.change(device, "reset", reason: reason) { $0 = EnergyTotal() }
        case .remove(let device, let reason):
            try await totals.remove(device, reason: reason)
        case .move(let old, let new, let reason):
            try await totals.move(old, to: new, reason: reason)
        case .adopt(let reason):
            let (adopted, unchanged) = try await totals.adopt(reason: reason)
            let rest =
                unchanged.isEmpty
                ? "" : " \(unchanged.count) devices already had totals at least as large and were not changed."
            return "Adopted the totals of \(adopted.count) devices from text files of the Go exporter.\(rest)\n"
        }
        return ""
    }

    private static func read(_ path: String) throws -> [EnergyRecord] {
        let bytes = try SystemSettingsFileReader().read(path, limit: EnergyDocument.largestSize).bytes
        do {
            return try EnergyDocument.decode(bytes)
        } catch {
            throw EnergyTotalsFailure(description: "nothing was changed, since \(path) \(error)")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw EnergyTotalsFailure(
                description: "the export could not be written to \(path); "
                    + "check that its directory exists, has free space and is writable"
            )
        }
    }
}
