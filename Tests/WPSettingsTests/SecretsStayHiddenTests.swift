// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCommandLine
import WPConfig
import WPSettings

/// Searches everything printed, thrown or dumped for the text of a secret.
@Suite struct SecretsStayHiddenTests {
    private static let secret = "hunter2-very-secret"
    private static let secretKeys = ExporterSettings.table.all.filter(\.isSecret).map(\.key)

    @Test func coversTheExpectedSettings() {
        #expect(
            Self.secretKeys == [
                "server.auth.password", "server.auth.password_hash", "server.auth.bearer_token", "winpower.password",
                "history.url", "hub.token",
            ]
        )
    }

    @Test(arguments: secretKeys)
    func hidesSecretsInLoadedSettings(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let flag = ParsedFlag(setting.flag, key: key, value: Self.secret)
        let environment = SettingSamples.companions(setting)
        let loads = [
            try Loading.load(environment: environment, flags: [flag], without: [key]),
            try Loading.load(
                environment: environment.merging([setting.variable: Self.secret]) { $1 },
                without: [key]
            ),
            try Loading.load(yaml: Self.nested(key, Self.secret), environment: environment, without: [key]),
        ]
        for loaded in loads {
            #expect(loaded.effective.first { $0.key == key }?.value == "<REDACTED>")
            #expect(!Self.appears(in: loaded))
            #expect(!Self.appears(in: loaded.settings))
            #expect(!Self.appears(in: flag))
        }
    }

    @Test(arguments: secretKeys)
    func hidesSecretsInFaults(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let values = [
            "[\(Self.secret)]", "{\(Self.secret): x}", "'\(Self.secret)", "\(Self.secret): x", "&\(Self.secret)",
            "\(Self.secret)\n x: y",
            "!!int \(Self.secret)", "|\n\(Self.secret)",
        ]
        for value in values {
            #expect(!Self.appears(in: Loading.faults(yaml: Self.nested(key, value), without: [key])), "\(value)")
        }
        let twice = [
            ParsedFlag(setting.flag, key: key, value: Self.secret),
            ParsedFlag(setting.flag, key: key, value: Self.secret + "2"),
        ]
        let faults = Loading.faults(environment: ["WINPOWER_EXPORTER_PORT": "x"], flags: twice, without: [key])
        #expect(faults.count >= 2)
        #expect(!Self.appears(in: faults))
    }

    @Test(arguments: [
        "https://admin:hunter2-very-secret@host", "https//admin:hunter2-very-secret@host",
        "https://h/?password=hunter2-very-secret",
        "https://h/#hunter2-very-secret", "hunter2-very-secret", "https://h:hunter2-very-secret",
        "https://h/hunter2-very-secret\"",
    ])
    func hidesSecretsInAddresses(_ url: String) {
        let faults = Loading.faults(environment: ["WINPOWER_EXPORTER_WINPOWER_BASE_URL": url])
        #expect(faults.count == 1)
        #expect(!Self.appears(in: faults))
    }

    @Test func hidesSecretsOnTheCommandLine() throws {
        let parser = OptionParser(CommandSpec("server", summary: "Serve", shared: ExporterSettings.table.options))
        let lines: [[String]] = [
            ["--winpower.pasword=\(Self.secret)"], ["-p\(Self.secret)"],
            ["--winpower.password", "one", Self.secret], ["--winpower.password", "--\(Self.secret)"],
            ["--winpower.password=\(Self.secret)", "--winpower.password=\(Self.secret)"],
            ["--winpower.password", Self.secret, "--port"], ["--sync-write=\(Self.secret)x", "--nope"],
        ]
        for line in lines {
            let fault = #expect(throws: OptionFault.self) { try parser.parse(line) }
            #expect(!Self.appears(in: fault as Any), "\(line)")
        }
        #expect(!Self.appears(in: try parser.parse(["--winpower.password", Self.secret])))
        #expect(!Self.appears(in: try parser.parse(["--winpower.password", Self.secret]).settingFlags))
    }

    @Test func hidesSecretsInTheLoaderAndInFiles() throws {
        let loader = SettingsLoader(
            ExporterSettings.table,
            environment: ["WINPOWER_EXPORTER_WINPOWER_PASSWORD": Self.secret],
            files: FakeFiles()
        )
        #expect(!Self.appears(in: loader))
        for content in ["\(Self.secret)\nsecond", "\(Self.secret)\u{0}"] {
            let error = #expect(throws: SettingsFileError.self) {
                try SecretFile.read("/s", using: FakeFiles(["/s": content]))
            }
            #expect(!Self.appears(in: error as Any))
        }
    }

    private static func nested(_ key: String, _ value: String) -> String {
        let parts = key.split(separator: ".")
        return parts.enumerated().map { String(repeating: "  ", count: $0.offset) + $0.element + ":" }
            .joined(separator: "\n") + " \(value)\n"
    }

    private static func appears(in value: Any) -> Bool {
        var dumped = ""
        dump(value, to: &dumped)
        return (dumped + "\(value)" + String(reflecting: value)).contains("hunter2")
    }
}
