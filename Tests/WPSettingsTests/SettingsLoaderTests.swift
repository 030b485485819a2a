// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPProgram
import WPSettings

@Suite struct SettingsLoaderTests {
    @Test func readsTheFirstFileThatExists() throws {
        let home = ["HOME": "/home/me"]
        let paths = [
            "./config.yaml", "./config.yml", "/etc/winpower-exporter/config.yaml",
            "/home/me/.config/winpower-exporter/config.yaml",
        ]
        #expect(SettingsLoader(ExporterSettings.table, environment: home).searchPaths == paths)
        #expect(SettingsLoader(ExporterSettings.table, environment: [:]).searchPaths == Array(paths.dropLast()))
        for first in paths.indices {
            var files = FakeFiles()
            for (port, path) in paths.enumerated().dropFirst(first) {
                files.files[path] = SettingsFile(bytes: Array("server: {port: \(port)}".utf8))
            }
            let loaded = try SettingsLoader(ExporterSettings.table, environment: home, files: files).load(
                requiresAll: false
            )
            #expect(loaded.configFile == paths[first])
            #expect(loaded.settings.server.port == first)
        }
    }

    @Test func rejectsAnUnreadableFile() {
        var files = FakeFiles(["./config.yml": "server: {port: 1}"])
        files.failures["./config.yaml"] = .notAFile
        let loader = SettingsLoader(ExporterSettings.table, environment: [:], files: files)
        let faults = #expect(throws: SettingsFaults.self) { try loader.load(requiresAll: false) }
        #expect(faults?.description == "./config.yaml: made to fail")
        #expect(faults?.faults.map(\.code) == [.unreadableFile])
    }

    @Test func skipsAnUnreadableDefaultFile() throws {
        var files = FakeFiles(["./config.yml": "server: {port: 1}"])
        files.failures["./config.yaml"] = .failed
        let loader = SettingsLoader(ExporterSettings.table, environment: [:], files: files)
        let loaded = try loader.load(requiresAll: false)
        #expect(loaded.configFile == "./config.yml")
        #expect(loaded.warnings.contains { $0.hasPrefix("./config.yaml: ") })
        #expect(throws: SettingsFaults.self) { try loader.load(configPath: "./config.yaml", requiresAll: false) }
    }

    @Test func rejectsAMissingNamedFile() {
        let loader = SettingsLoader(ExporterSettings.table, environment: [:], files: FakeFiles(["./config.yaml": ""]))
        let faults = #expect(throws: SettingsFaults.self) { try loader.load(configPath: "other.yaml") }
        #expect(faults?.description == "other.yaml: no such file")
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "server:\nwinpower:\n", "server: {}\n"])
    func acceptsAnEmptyFile(_ text: String) throws {
        let loaded = try Loading.load(yaml: text, requiresAll: false)
        #expect(loaded.configFile == "config.yaml")
        #expect(loaded.settings.server == ExporterSettings().server)
    }

    /// The sample in docs/configuration.md, with the documented messages.
    @Test func reportsAllFaultsWithTheirLocations() {
        let yaml = """
            server:
              host: localhost
              prot: 9090
            winpower:
              base_url: https://winpower.example.com
              password: hunter2
            logging:
              compress: true
            scheduler: {collection_interval: 5}
            """
        let faults = Loading.faults(
            yaml: yaml,
            environment: ["WINPOWER_EXPORTER_LOGGING_LEVEL": "verbose"],
            flags: [ParsedFlag("--port", key: "server.port", value: "99999")],
            without: ["winpower.username"]
        )
        #expect(
            faults == [
                "config.yaml:3:3: there is no setting `prot` in server; did you mean server.port?",
                "config.yaml:9:34: scheduler.collection_interval: found `5`, expected a duration from 1s to 1h, "
                    + "such as 300ms, 5s, 1m30s or 2h; a number needs a unit: h, m, s or ms",
                "WINPOWER_EXPORTER_LOGGING_LEVEL: logging.level: found `verbose`, expected debug, info, warn or error",
                "--port: server.port: found `99999`, expected a whole number from 0 to 65535",
                "winpower.username: it is required: set winpower.username in the file, "
                    + "WINPOWER_EXPORTER_WINPOWER_USERNAME, or --winpower.username",
            ]
        )
    }

    @Test func reportsOtherLayersButNoMissingSettingsForAMalformedFile() {
        let faults = Loading.faults(
            yaml: "winpower:\n  password: 'hunter2\n",
            environment: ["WINPOWER_EXPORTER_PORT": "x", "WINPOWER_EXPORTER_WINPOWER_TIMEOUT": "1s"],
            without: ["winpower.base_url", "winpower.username", "winpower.password"]
        )
        #expect(
            faults == [
                "config.yaml:2:13: this quote is never closed",
                "WINPOWER_EXPORTER_PORT: server.port: found `x`, expected a whole number from 0 to 65535",
            ]
        )
    }

    @Test func validatesAnOverriddenValue() {
        let faults = Loading.faults(yaml: "server: {port: x}\n", environment: ["WINPOWER_EXPORTER_PORT": "1"])
        #expect(faults == ["config.yaml:1:16: server.port: found `x`, expected a whole number from 0 to 65535"])
    }

    @Test(arguments: [
        ("prot: 1", "there is no setting `prot` at the top level"),
        ("port: 1", "there is no setting `port` at the top level; did you mean server.port?"),
        ("sever: {port: 1}", "there is no setting `sever` at the top level; did you mean server?"),
        (
            "server.port: 1",
            "there is no setting `server.port` at the top level; use nested keys instead of dots"
        ),
        ("winpower: {url: x}", "there is no setting `url` in winpower; did you mean winpower.base_url?"),
        ("winpower: {pasword: x}", "there is no setting `pasword` in winpower; did you mean winpower.password?"),
        (
            "server: {auth: {pasword: x}}",
            "there is no setting `pasword` in server.auth; did you mean server.auth.password?"
        ),
        ("server: {password: x}", "there is no setting `password` in server; did you mean server.auth.password?"),
        ("storage: {level: x}", "there is no setting `level` in storage; did you mean logging.level?"),
        ("<<: {}", "there is no setting `<<` at the top level"),
        ("zzzzzzzz: {}", "there is no setting `zzzzzzzz` at the top level"),
        ("x: 1", "there is no setting `x` at the top level"),
    ])
    func suggestsTheNearestKey(_ yaml: String, _ message: String) {
        let faults = Loading.faults(yaml: yaml)
        #expect(faults.count == 1)
        #expect(faults.first?.hasSuffix(": " + message) == true, "\(faults)")
    }

    @Test(arguments: [
        ("[1]", "config.yaml:1:1: found a list, expected a map of sections"),
        ("text", "config.yaml:1:1: found a single value, expected a map of sections"),
        ("server: 1", "config.yaml:1:9: server: found a single value, expected the settings of this section as a map"),
        ("server: [port]", "config.yaml:1:9: server: found a list, expected the settings of this section as a map"),
        ("server: {port: 1, port: 2}", "config.yaml:1:19: the key port is already in this map, at 1:10"),
    ])
    func rejectsAnUnexpectedStructure(_ yaml: String, _ fault: String) {
        #expect(Loading.faults(yaml: yaml) == [fault])
    }

    @Test func warnsAboutUnknownVariables() throws {
        let loaded = try Loading.load(environment: [
            "WINPOWER_EXPORTER_SERVER_PROT": "hunter2", "WINPOWER_EXPORTER_ZZZZ": "hunter2", "WINPOWER_OTHER": "x",
        ])
        #expect(
            loaded.warnings == [
                "no setting reads the environment variable WINPOWER_EXPORTER_SERVER_PROT; "
                    + "did you mean WINPOWER_EXPORTER_SERVER_PORT?",
                "no setting reads the environment variable WINPOWER_EXPORTER_ZZZZ",
            ]
        )
    }

    @Test func rejectsConflictingVariables() throws {
        let names = ("WINPOWER_EXPORTER_SERVER_PORT", "WINPOWER_EXPORTER_PORT")
        #expect(
            Loading.faults(environment: [names.0: "1", names.1: "2"])
                == ["\(names.1): server.port: \(names.0) is set too, to another value"]
        )
        let loaded = try Loading.load(environment: [names.0: "1", names.1: "1"])
        #expect(loaded.settings.server.port == 1)
    }

    @Test func rejectsRepeatedAndUnknownFlags() {
        let flags = [
            ParsedFlag("--port", key: "server.port", value: "1"),
            ParsedFlag("--server.port", key: "server.port", value: "2"),
            ParsedFlag("--nothing", key: "no.thing", value: "3"),
        ]
        #expect(
            Loading.faults(flags: flags) == [
                "--server.port: server.port: it is already set by --port",
                "--nothing: no.thing: there is no such setting",
            ]
        )
    }

    @Test func namesTheEmptyVariableOfAMissingSetting() {
        let faults = Loading.faults(environment: ["WINPOWER_EXPORTER_WINPOWER_PASSWORD": ""])
        #expect(
            faults == [
                "winpower.password: it is required: set winpower.password in the file, "
                    + "WINPOWER_EXPORTER_WINPOWER_PASSWORD, or --winpower.password; "
                    + "or name a file with winpower.password_file (WINPOWER_EXPORTER_WINPOWER_PASSWORD is set but empty)"
            ]
        )
    }

    @Test func doesNotRequireWinPowerUnlessRequested() throws {
        let loaded = try SettingsLoader(ExporterSettings.table, environment: [:], files: FakeFiles()).load(
            requiresAll: false
        )
        #expect(loaded.settings.winpower.target == nil)
    }

    @Test func listsEachSettingOnceInTableOrder() throws {
        let loaded = try Loading.load()
        #expect(loaded.effective.map(\.key) == ExporterSettings.table.all.map(\.key))
    }
}
