// SPDX-License-Identifier: MIT

import WPConfig

/// `wpexporter check-config`
enum CheckConfigCommand: Command {
    static let spec = CommandSpec(
        "check-config",
        group: CommandGroup.prepare,
        summary: "Checks the settings and shows those in effect, secrets redacted",
        options: [ConfigOption.option, FormatOption.option] + SettingTable.options,
        examples: [.init("wpexporter check-config --config config.yaml", "Check a file before a restart")],
        exitStatuses: [.init(0, "the settings are good"), .init(2, "they are not; every fault is told")]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let format = FormatOption.value(options)
        do {
            Console.output(try text(of: try ConfigOption.load(options), format))
            return .success
        } catch let faults as SettingsFaults where format == .json {
            Console.output(try text(of: faults))
            return .usage
        }
    }

    private static func text(of loaded: LoadedSettings, _ format: FormatOption) throws -> String {
        switch format {
        case .text:
            let width = loaded.effective.map(\.key.count).max() ?? 0
            let lines = loaded.effective.map { setting in
                let key = setting.key + String(repeating: " ", count: width - setting.key.count)
                let value = setting.value.isEmpty ? "(none)" : setting.value
                return "\(key)  \(value)" + (setting.origin == .standard ? "" : "  (\(setting.origin))")
            }
            let warnings = loaded.warnings.map { "warning: \($0)" }
            let head =
                loaded.configFile.map { "The settings are good. File: \($0)" } ?? "The settings are good. No file."
            return ([head, ""] + lines + (warnings.isEmpty ? [] : [""] + warnings)).joined(separator: "\n") + "\n"
        case .json:
            let report = Report(
                valid: true,
                file: loaded.configFile,
                settings: loaded.effective.map {
                    Report.Setting(key: $0.key, value: $0.value, origin: $0.origin.description)
                },
                warnings: loaded.warnings
            )
            return String(decoding: try JSONReply.bytes(report), as: UTF8.self)
        }
    }

    private static func text(of faults: SettingsFaults) throws -> String {
        let report = Report(
            valid: false,
            faults: faults.faults.map {
                Report.Fault(place: $0.origin.description, key: $0.key, message: $0.message)
            }
        )
        return String(decoding: try JSONReply.bytes(report), as: UTF8.self)
    }

    private struct Report: Encodable {
        var valid: Bool
        var file: String?
        var settings: [Setting]?
        var warnings: [String]?
        var faults: [Fault]?

        struct Setting: Encodable {
            var key: String
            var value: String
            var origin: String
        }

        struct Fault: Encodable {
            var place: String
            var key: String?
            var message: String
        }
    }
}
