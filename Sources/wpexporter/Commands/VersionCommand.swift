// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPModel
import WPCommandLine

/// `wpexporter version`
enum VersionCommand: Command {
    static let name = "version"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.help,
        summary: "Shows the version",
        options: [FormatOption.option],
        exitStatuses: [.init(0, "it was printed"), .init(1, "the output cannot be written")]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        switch FormatOption.value(options) {
        case .text:
            try Console.output(
                "\(Version.program) \(Version.number) (revision \(Version.revision), Swift \(Version.swift))\n"
            )
        case .json:
            let report = Report(
                program: Version.program,
                version: Version.number,
                revision: Version.revision,
                swiftVersion: Version.swift
            )
            try Console.output(JSONDocument.text(report))
        }
        return .success
    }

    private struct Report: Encodable {
        var program: String
        var version: String
        var revision: String
        var swiftVersion: String

        enum CodingKeys: String, CodingKey {
            case program, version, revision
            case swiftVersion = "swift_version"
        }
    }
}

/// `--format text|json`
enum FormatOption: String, CaseIterable {
    case text, json

    /// The words of a command that lists things; the first is the default.
    static let tableOrJSON = ["table", "json"]

    static let option = CommandOption(
        "--format",
        .choice(allCases.map(\.rawValue)),
        help: "How to write the answer",
        defaultText: "text"
    )

    static func value(_ options: ParsedOptions) -> FormatOption {
        options.value(of: "--format").flatMap(FormatOption.init) ?? .text
    }

    /// The settings in effect in this format.
    func report<Settings>(_ loaded: LoadedSettings<Settings>) throws -> String {
        self == .json ? try SettingsReport.json(of: loaded) : SettingsReport.text(of: loaded)
    }
}
