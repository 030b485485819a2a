// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPLogging
import WPServer
import WPService
package import WPSettings

/// Runs a program as a command: options, log, signals, start and shutdown.
package enum ProgramCommand<Program: ExporterProgram> {
    /// The command's name, options and help.
    package static func spec(
        name: String? = nil,
        group: String? = nil,
        options: [CommandOption] = [],
        format: CommandOption = FormatOption.option,
        shared: SharedOptions? = nil,
        examples: [CommandSpec.Example] = [],
        failures: String = "a failure, such as a port in use",
        exitStatuses: [CommandSpec.ExitStatus] = []
    ) -> CommandSpec {
        CommandSpec(
            name ?? Program.description.name,
            group: group,
            summary: Program.description.summary,
            discussion: Program.description.discussion,
            options: options
                + [ConfigOption.file(of: Program.Settings.table), ConfigOption.check, ConfigOption.print, format]
                + Program.options,
            shared: shared ?? Program.Settings.table.options,
            examples: examples,
            exitStatuses: [
                .init(0, "it was shut down, or the settings are valid (--check)"), .init(1, failures),
                .init(2, "invalid settings or arguments; all errors are reported"),
            ] + exitStatuses
        )
    }

    /// Runs the program until a signal stops it, or prints or checks its settings.
    package static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        if options.contains(ConfigOption.print.name) {
            try Console.output(FormatOption.value(options).report(try Program.load(options)))
            return .success
        }
        if options.contains(ConfigOption.check.name) {
            let loaded = try Program.load(options)
            for warning in loaded.warnings { Console.error("warning: \(warning)\n") }
            try Console.output("The settings are valid. \(loaded.configFile.map { "File: \($0)" } ?? "No file.")\n")
            return .success
        }
        return try await RunningService.run { service in try await serve(options, service) }
    }

    private static func serve(_ options: ParsedOptions, _ service: Service) async throws {
        let loaded = try Program.load(options)
        let settings = loaded.settings
        let running = try RunningService(
            service,
            settings.logging,
            gracePeriod: settings.shutdownTimeout,
            warnings: loaded.warnings
        )
        let logging = running.logging
        defer { logging.flush() }
        var parts = ProgramParts(logger: logging.logger)
        parts.lostLogRecords = { logging.lostRecords }
        let frame = try await ProgramFrame<Program>(
            loaded,
            listening: SocketActivation.takeDescriptors(),
            parts: parts,
            reloading: Reloading(
                load: { try Program.load(options) },
                steps: running.steps(logging: \.logging, gracePeriod: \.shutdownTimeout)
            )
        )
        var fields: LogFields = [
            "config_file": .string(loaded.configFile ?? ""), "port": .int(frame.server?.port ?? 0),
        ]
        for field in frame.context.declared.logFields.all { fields.append(field.key, field.value) }
        try await running.run(Program.description, fields, reload: { await frame.reloader.reload(.signal) }) {
            try await frame.run()
        }
    }
}

/// `--format text|json`
package enum FormatOption: String, CaseIterable {
    case text, json

    /// The formats of a command that lists items; the first is the default.
    package static let tableOrJSON = ["table", "json"]

    package static let option = CommandOption(
        "--format",
        .choice(allCases.map(\.rawValue)),
        help: "Output format",
        defaultText: "text"
    )

    /// The format in the options; text for any word other than `json`.
    package static func value(_ options: ParsedOptions) -> FormatOption {
        options.value(of: "--format") == "json" ? .json : .text
    }

    /// The effective settings in this format.
    package func report<Settings>(_ loaded: LoadedSettings<Settings>) throws -> String {
        self == .json ? try SettingsReport.json(of: loaded) : SettingsReport.text(of: loaded)
    }
}
