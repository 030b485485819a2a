// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
import WPProgram
import WPSettings

/// Each setting is an option as well.
@Suite struct SettingOptionsTests {
    private static let server = CommandSpec("server", summary: "Serve metrics", shared: ExporterSettings.table.options)

    @Test func showsAllSettingsUnderTheirSections() {
        let help = Self.server.help(program: "wpexporter", width: 100)
        for section in ExporterSettings.table.sections { #expect(help.contains("\n\(section.title):\n")) }
        for setting in ExporterSettings.table.all where setting.type != .boolean {
            #expect(help.contains("\n  \(setting.flag) "), "\(setting.flag)")
        }
        #expect(help.contains("\n  --[no-]sync-write "))
        #expect(help.contains("(default: 3 × scheduler.collection_interval)"))
        #expect(help.contains("--winpower.password-file"))
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains("other accounts can see it in the process list, so prefer --winpower.password-file")
        )
    }

    @Test func mentionsUnlistedSettings() {
        let command = CommandSpec("go", summary: "Goes", shared: ExporterSettings.options(showing: ["winpower"]))
        let help = command.help(program: "x", width: 400)
        #expect(help.contains("--winpower.url URL") && !help.contains("--log-level"))
        #expect(
            help.contains("Settings that are not shown here are accepted as well; `server --help` shows them all.")
        )
        #expect(
            ExporterSettings.options(showing: ["winpower"]).options.count
                == ExporterSettings.table.options.options.count
        )
    }

    @Test func turnsSettingOptionsIntoFlags() throws {
        let parser = OptionParser(CommandSpec("server", summary: "Serve", shared: ExporterSettings.table.options))
        let options = try parser.parse([
            "--port", "1", "--no-storage.sync-write", "--logging.level=loud", "--skip-ssl-verify",
        ])
        #expect(
            options.settingFlags == [
                ParsedFlag("--port", key: "server.port", value: "1"),
                ParsedFlag("--no-storage.sync-write", key: "storage.sync_write", value: "false"),
                ParsedFlag("--logging.level", key: "logging.level", value: "loud"),
                ParsedFlag("--skip-ssl-verify", key: "winpower.skip_ssl_verify", value: "true"),
            ]
        )
    }

    @Test func listsEverySettingOnceInTheManual() {
        let program = ProgramSpec("x", summary: "Does", commands: [Self.server])
        let page = ManualPage(program, date: "today", version: "1").source
        for setting in ExporterSettings.table.all {
            let flag =
                setting.type == .boolean ? "[no-]" + setting.flag.dropFirst(2) : String(setting.flag.dropFirst(2))
            let term = ".It Fl \\-" + flag.replacing("-", with: "\\-")
            #expect(page.split(separator: "\n").count { $0 == term || $0.hasPrefix(term + " ") } == 1, "\(term)")
        }
    }
}
