// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPCore
import WPSettings
import WPYAML

/// Each row of the table through each layer.
@Suite struct SettingLayerTests {
    struct Loaded {
        var value: String
        var origin: SettingOrigin
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func loadsFromTheFile(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        for text in SettingSamples.valid(setting) {
            let (yaml, position) = Self.yaml(setting, text)
            let loaded = try Self.load(setting, yaml: yaml)
            #expect(loaded.value == Self.shown(setting, text))
            #expect(loaded.origin == .file(path: "config.yaml", position: position))
        }
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func eachVariableOverridesTheFile(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let texts = SettingSamples.valid(setting)
        for name in setting.environment {
            let loaded = try Self.load(setting, yaml: Self.yaml(setting, texts[0]).text, environment: [name: texts[1]])
            #expect(loaded.value == Self.shown(setting, texts[1]))
            #expect(loaded.origin == .environment(name))
        }
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func eachFlagOverridesVariableAndFile(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let texts = SettingSamples.valid(setting)
        let parser = OptionParser(CommandSpec("server", summary: "Serve", shared: ExporterSettings.table.options))
        for flag in setting.flags {
            let loaded = try Self.load(
                setting,
                yaml: Self.yaml(setting, texts[0]).text,
                environment: [setting.variable: texts[1]],
                flags: parser.parse(["\(flag)=\(texts[2])"]).settingFlags
            )
            #expect(loaded.value == Self.shown(setting, texts[2]))
            #expect(loaded.origin == .flag(flag))
        }
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func fallsBackToTheDefault(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let loaded = try SettingsLoader(ExporterSettings.table, environment: [:], files: FakeFiles()).load(
            requiresAll: false
        )
        let effective = try #require(loaded.effective.first { $0.key == key })
        #expect(effective.value == setting.defaultText)
        #expect(effective.origin == .standard)
        #expect(loaded.warnings == [])
        #expect(loaded.settings == ExporterSettings())
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func rejectsInvalidValuesInEachLayer(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        for text in SettingSamples.invalid(setting) {
            let quoted = text.contains("\u{7}") ? "\"a\\ab\"" : "'\(text)'"
            let (yaml, position) = Self.yaml(setting, setting.type == .boolean ? text : quoted)
            let locations = [
                Self.faults(setting, yaml: yaml).map { ($0, "config.yaml:\(position)") },
                Self.faults(setting, environment: [setting.variable: text]).map { ($0, setting.variable) },
                Self.faults(setting, flags: [ParsedFlag(setting.flag, key: key, value: text)]).map {
                    ($0, setting.flag)
                },
            ]
            for faults in locations {
                #expect(faults.count == 1, "\(text): \(faults)")
                for (fault, place) in faults {
                    #expect(fault.hasPrefix("\(place): \(key): found "), "\(fault)")
                    #expect(fault.contains("expected \(setting.type.expectation)"), "\(fault)")
                    #expect(!fault.contains("\u{7}"))
                }
            }
        }
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func rejectsListsAndMaps(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        for (text, kind) in [("[1]", "a list"), ("{a: 1}", "a map")] {
            let (yaml, position) = Self.yaml(setting, text)
            let faults = Self.faults(setting, yaml: yaml)
            #expect(
                faults == ["config.yaml:\(position): \(key): found \(kind), expected \(setting.type.expectation)"]
            )
        }
    }

    @Test(arguments: ExporterSettings.table.all.filter { !$0.rejectsEmpty }.map(\.key))
    func treatsEmptyValuesAsUnset(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        for text in ["", "~", "null", "\"\""] {
            let loaded = try Loading.load(
                yaml: Self.yaml(setting, text).text,
                environment: [setting.variable: ""],
                without: Array(Loading.required.keys),
                requiresAll: false
            )
            let effective = try #require(loaded.effective.first { $0.key == key })
            #expect(effective.value == setting.defaultText)
            #expect(effective.origin == .standard)
            #expect(loaded.warnings == ["\(setting.variable) is set but empty; it is ignored"])
        }
        let faults = Self.faults(setting, flags: [ParsedFlag(setting.flag, key: key, value: "")])
        #expect(faults.count == 1 && faults[0].contains("found nothing, expected"))
    }

    @Test func rejectsQuotedNumbersAndBooleans() {
        let faults = Loading.faults(yaml: "server:\n  port: \"9090\"\nlogging:\n  compress: 'true'\n")
        #expect(
            faults == [
                "config.yaml:2:9: server.port: found a quoted string, expected a whole number from 0 to 65535, without quotes",
                "config.yaml:4:13: logging.compress: found a quoted string, expected true or false (or 1, 0, yes, no), "
                    + "without quotes",
            ]
        )
    }

    @Test func acceptsNumbersAsStrings() throws {
        let loaded = try Loading.load(
            yaml: "winpower:\n  username: 0123\n  password: 1.10\n",
            without: ["winpower.username", "winpower.password"]
        )
        #expect(loaded.settings.winpower.username == "0123")
        #expect(loaded.settings.winpower.password?.reveal() == "1.10")
    }

    // MARK: Helpers

    /// A file that sets one setting, and the position of its value.
    private static func yaml(_ setting: Setting<ExporterSettings>, _ value: String) -> (
        text: String, position: YAMLPosition
    ) {
        let parts = setting.key.split(separator: ".")
        let lines = parts.enumerated().map { String(repeating: "  ", count: $0.offset) + $0.element + ":" }
        let last = lines[lines.count - 1]
        return (
            lines.joined(separator: "\n") + " \(value)\n",
            YAMLPosition(line: lines.count, column: last.count + 2)
        )
    }

    private static func shown(_ setting: Setting<ExporterSettings>, _ text: String) -> String {
        setting.isSecret ? "<REDACTED>" : text == "65536" && setting.key.hasSuffix("bytes") ? "64KiB" : text
    }

    /// The base environment without variables that conflict with the setting.
    private static func missing(_ setting: Setting<ExporterSettings>) -> [String] {
        setting.key == "winpower.password_file" ? ["winpower.password"] : [setting.key]
    }

    private static func load(
        _ setting: Setting<ExporterSettings>,
        yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ParsedFlag] = []
    ) throws -> Loaded {
        let loaded = try Loading.load(
            yaml: yaml,
            environment: environment.merging(SettingSamples.companions(setting)) { first, _ in first },
            flags: flags,
            without: missing(setting),
            files: SettingSamples.files
        )
        let effective = try #require(loaded.effective.first { $0.key == setting.key })
        return Loaded(value: effective.value, origin: effective.origin)
    }

    private static func faults(
        _ setting: Setting<ExporterSettings>,
        yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ParsedFlag] = []
    ) -> [String] {
        do {
            _ = try Loading.load(
                yaml: yaml,
                environment: environment.merging(SettingSamples.companions(setting)) { first, _ in first },
                flags: flags,
                without: missing(setting),
                requiresAll: false,
                files: SettingSamples.files
            )
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }
}
