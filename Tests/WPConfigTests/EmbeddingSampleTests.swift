// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPProgram
import WPSettings

/// The sample in docs/modules/WPConfig.md, which must compile and work.
@Suite struct EmbeddingSampleTests {
    func loadSettings(arguments: [String], environment: [String: String]) throws -> ExporterSettings {
        let command = CommandSpec("server", summary: "Serve metrics", shared: ExporterSettings.table.options)
        let options = try OptionParser(command).parse(arguments)
        let loader = SettingsLoader(ExporterSettings.table, environment: environment)
        let loaded = try loader.load(flags: options.settingFlags)
        for warning in loaded.warnings { print("warning: \(warning)") }
        for setting in loaded.effective { print("\(setting.key) = \(setting.value) (\(setting.origin))") }
        return loaded.settings
    }

    @Test func loadsSettingsAsDocumented() throws {
        let settings = try loadSettings(arguments: ["--port", "0"], environment: Loading.required)
        #expect(settings.server.port == 0)
        #expect(settings.winpower.target?.username == "admin")
    }
}
