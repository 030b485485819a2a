// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPModel
import WPProgram
import WPSettings
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
        group: CommandGroup.inspect,
        summary: "Shows, saves and corrects the energy totals in the data directory",
        discussion: [
            "The first three actions only read, and may do so while an exporter runs. The others need the directory for "
                + "themselves, so stop the exporter first; each change is recorded in energy.audit.log there, with the user, "
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
                    ("import FILE", "Restores the totals of the devices in a backup; other devices are unchanged"),
                    ("set ID WH", "Changes the energy of a device, in watt-hours, and continues counting from there"),
                    ("reset ID", "Starts a device over, at zero"),
                    ("remove ID", "Removes a device that no longer exists"),
                    ("move OLD NEW", "Adds the total of OLD to NEW and forgets OLD: a device under another ID"),
                    ("adopt", "Adopts the totals in the Go exporter's text files if the saved state was lost"),
                ]
            )
        ],
        options: [
            CommandOption(
                "--format",
                .choice(EnergyFormat.allCases.map(\.rawValue)),
                help: "Output format of list and show",
                defaultText: EnergyFormat.table.rawValue
            ),
            CommandOption(
                "--output",
                .value("FILE"),
                help: "Output file of export",
                defaultText: "the standard output"
            ),
            CommandOption("--reason", .value("TEXT"), help: "Reason for a change of totals, for the audit log"),
            ConfigOption.option,
        ],
        shared: ExporterSettings.table.options(of: "storage"),
        positionals: .init("ACTION", count: 1...3, words: EnergyAction.names),
        examples: [
            .init("wpexporter energy list --data-dir /var/lib/winpower-exporter", "Every total"),
            .init("wpexporter energy export --output energy.json", "A backup, also while the exporter runs"),
            .init("wpexporter energy set e156e6cb 12500.5 --reason 'meter reading'", "Continue from a meter's reading"),
        ],
        exitStatuses: [
            .init(0, "it is done"),
            .init(
                1,
                "it could not: no such device, a directory in use, a file that is no export, an output that cannot be written"
            ),
            .init(2, "invalid settings or arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let width = Terminal.standardOutput.lineWidth(ProcessInfo.processInfo.environment)
        try Console.output(await output(options, width: width))
        return .success
    }

    /// Performs the action.
    /// - Parameter width: the table width in columns; nil for unlimited.
    /// - Returns: the standard output.
    static func output(_ options: ParsedOptions, width: Int? = nil) async throws -> String {
        let action = try EnergyAction(options)
        return try await action.perform(
            ConfigOption.load(options, requireWinPower: false).settings.storage,
            width: width
        )
    }
}

extension EnergyAction {
    /// Parses the arguments strictly: an option that the action does not use is an error.
    init(_ options: ParsedOptions) throws(OptionFault) {
        let words = options.positionals
        let name = words.first ?? ""
        guard let (_, (arguments, allowed)) = Self.shapes.first(where: { $0.key == name }) else {
            throw OptionFault(
                .unknownCommand,
                "energy cannot \"\(TerminalText.printable(name))\"; it can " + Self.names.joined(separator: ", ")
            )
        }
        guard words.count == arguments.count + 1 else {
            let usage = (["energy", name] + arguments).joined(separator: " ")
            throw words.count > arguments.count + 1
                ? OptionFault(.unexpectedArgument, "there are too many arguments: \(usage)")
                : OptionFault(.missingArgument, "an argument is missing: \(usage)")
        }
        for option in ["--format", "--output", "--reason"] where options.contains(option) && option != allowed {
            throw OptionFault(.unknownOption, "energy \(name) has no option \(option)")
        }
        let format = options.value(of: "--format").flatMap(EnergyFormat.init) ?? .table
        let reason = try Self.reason(options)
        switch name {
        case "show": self = .show(DeviceID(words[1]), format)
        case "export": self = .export(options.value(of: "--output"))
        case "import": self = .import(words[1], reason: reason)
        case "set": self = .set(DeviceID(words[1]), wattHours: try Self.wattHours(words[2]), reason: reason)
        case "reset": self = .reset(DeviceID(words[1]), reason: reason)
        case "remove": self = .remove(DeviceID(words[1]), reason: reason)
        case "move": self = .move(DeviceID(words[1]), DeviceID(words[2]), reason: reason)
        case "adopt": self = .adopt(reason: reason)
        default: self = .list(format)
        }
    }

    /// The arguments of each action, and the only option that it accepts besides settings.
    private static let shapes: KeyValuePairs<String, (arguments: [String], option: String)> = [
        "list": ([], "--format"),
        "show": (["ID"], "--format"),
        "export": ([], "--output"),
        "import": (["FILE"], "--reason"),
        "set": (["ID", "WH"], "--reason"),
        "reset": (["ID"], "--reason"),
        "remove": (["ID"], "--reason"),
        "move": (["OLD", "NEW"], "--reason"),
        "adopt": ([], "--reason"),
    ]

    /// The actions in the order of help.
    static let names = shapes.map(\.key)

    private static func wattHours(_ text: String) throws(OptionFault) -> Double {
        // `Double` would also accept "nan", "inf" and hexadecimal.
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text),
            value >= 0, value <= largestWattHours
        else {
            throw OptionFault(
                .invalidValue,
                "found \"\(TerminalText.printable(text))\", expected watt-hours: a number from 0 to 1e15"
            )
        }
        return value
    }

    private static func reason(_ options: ParsedOptions) throws(OptionFault) -> String? {
        guard let reason = options.value(of: "--reason") else { return nil }
        guard reason.utf8.count <= longestReason else {
            throw OptionFault(.invalidValue, "--reason: it has more than the \(longestReason) bytes allowed")
        }
        return reason
    }
}
