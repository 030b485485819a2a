// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPDashboard
import WPExporter
import WPLogging
import WPModel
import WPStorage
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter energy`
enum EnergyCommand: Command {
    static let name = "energy"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.look,
        summary: "Shows, saves and corrects the energy totals in the data directory",
        discussion: [
            "The first three actions only read, and may do so while an exporter runs. The others need the directory for "
                + "themselves, so stop the exporter first; each change is noted in energy.audit.log there, with the user, "
                + "the old and the new total.",
            "An ID that begins with a dash is written after --, as in: wpexporter energy show -- -1.",
        ],
        lists: [
            .init(
                "Actions",
                [
                    ("list", "Every total"),
                    ("show ID", "The total of a device"),
                    ("export", "Every total to the last digit, as a backup"),
                    ("import FILE", "Takes the totals of the devices in a backup and leaves other devices as they are"),
                    ("set ID WH", "Changes the energy of a device, in watt-hours, and lets it count on from there"),
                    ("reset ID", "Starts a device over, at zero"),
                    ("remove ID", "Forgets a device that is gone"),
                    ("move OLD NEW", "Adds the total of OLD to NEW and forgets OLD: a device under another ID"),
                    ("adopt", "Takes the totals in the Go exporter's text files, where the saved state was lost"),
                ]
            )
        ],
        options: [
            CommandOption(
                "--format",
                .choice(EnergyFormat.allCases.map(\.rawValue)),
                help: "How list and show write",
                defaultText: EnergyFormat.table.rawValue
            ),
            CommandOption(
                "--output",
                .value("FILE"),
                help: "Where export writes",
                defaultText: "the standard output"
            ),
            CommandOption("--reason", .value("TEXT"), help: "Why, for the audit log, of an action that changes totals"),
            ConfigOption.option,
        ],
        shared: ExporterSettings.table.options(of: "storage"),
        positionals: .init("ACTION", count: 1...3, words: EnergyAction.names),
        examples: [
            .init("wpexporter energy list --data-dir /var/lib/winpower-exporter", "Every total"),
            .init("wpexporter energy export --output energy.json", "A backup, also while the exporter runs"),
            .init("wpexporter energy set e156e6cb 12500.5 --reason 'meter reading'", "Go on from a meter's figure"),
        ],
        exitStatuses: [
            .init(0, "it is done"),
            .init(1, "it could not: no such device, a directory in use, a file that is no export"),
            .init(2, "invalid settings or arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let width = Terminal.standardOutput.lineWidth(ProcessInfo.processInfo.environment)
        Console.output(try await output(options, width: width))
        return .success
    }

    /// Does what is asked.
    /// - Parameter width: the cells of a line of a table; nil for as many as it takes.
    /// - Returns: what is to be written to the standard output.
    static func output(_ options: ParsedOptions, width: Int? = nil) async throws -> String {
        let action = try EnergyAction(options)
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let settings = try ConfigOption.load(options, requireWinPower: false).settings.storage
        let totals = EnergyTotals(settings, logger: logging.logger)
        switch action {
        case .list(let format):
            return try EnergyReport(try await totals.read()).text(format, width: width)
        case .show(let device, let format):
            return try EnergyReport([try await totals.record(of: device)]).text(format, width: width)
        case .export(nil):
            return String(decoding: try EnergyDocument.encode(try await totals.read()), as: UTF8.self)
        case .export(let path?):
            let records = try await totals.read()
            try write(try EnergyDocument.encode(records), to: path)
            return "Wrote \(records.count) devices to \(path).\n"
        case .import(let path, let reason):
            let imported = try read(path)
            let count = try await totals.replace(with: imported, reason: reason)
            return "Imported \(imported.count) devices from \(path), \(count) of them with a change.\n"
        case .set(let device, let wattHours, let reason):
            try await totals.change(device, "set", reason: reason) { $0.joules = wattHours * 3600 }
        case .reset(let device, let reason):
            try await totals.change(device, "reset", reason: reason) { $0 = EnergyTotal() }
        case .remove(let device, let reason):
            try await totals.remove(device, reason: reason)
        case .move(let old, let new, let reason):
            try await totals.move(old, to: new, reason: reason)
        case .adopt(let reason):
            let (taken, left) = try await totals.adopt(reason: reason)
            let rest = left.isEmpty ? "" : " \(left.count) devices have counted as much already and were left alone."
            return "Adopted the totals of \(taken.count) devices from text files of the Go exporter.\(rest)\n"
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
                    + "check that its directory is there, has room and may be written to"
            )
        }
    }
}
