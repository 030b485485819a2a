// SPDX-License-Identifier: MIT

import Testing
import WPConfig

@Suite struct SettingsUpdateTests {
    private static func load(_ variables: [String: String] = [:]) throws -> LoadedSettings<ExporterSettings> {
        try Loading.load(environment: variables)
    }

    @Test func nothingChangesByItself() throws {
        let update = SettingsUpdate(from: try Self.load(), to: try Self.load())
        #expect(update.changed.isEmpty && update.waiting.isEmpty)
    }

    /// Each setting is told as changed or as waiting, and by its own key alone.
    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func tellsEachChange(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let companions = SettingSamples.companions(setting).merging(
            ["WINPOWER_EXPORTER_METRICS_STALE_AFTER": "1h"]
        ) { $1 }
        func load(_ value: String) throws -> LoadedSettings<ExporterSettings> {
            let secret = key.replacing("_file", with: "")
            return try Loading.load(
                environment: companions,
                flags: [ParsedFlag(setting.flag, key: key, value: value)],
                without: [secret, key],
                files: SettingSamples.files
            )
        }
        let values =
            switch setting.type {
            case .boolean: ["true", "false"]
            case .choice(let words): words
            default: SettingSamples.valid(setting)
            }
        let (old, new) = (try load(values[0]), try load(values[1]))
        let update = SettingsUpdate(from: old, to: new)
        #expect(update.changed == (setting.needsRestart ? [] : [key]))
        #expect(update.waiting == (setting.needsRestart ? [key] : []))
        let expected = setting.needsRestart ? old : new
        #expect(update.settings.settings == expected.settings)
        #expect(update.settings.effective == expected.effective)
    }

    @Test func secretsAreComparedByWhatTheyAre() throws {
        let name = "WINPOWER_EXPORTER_WINPOWER_PASSWORD"
        let update = SettingsUpdate(from: try Self.load([name: "one"]), to: try Self.load([name: "two"]))
        #expect(update.changed == ["winpower.password"])
    }
}
