// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPProgram
import WPSettings

@Suite struct SettingsUpdateTests {
    private static func load(_ variables: [String: String] = [:]) throws -> LoadedSettings<ExporterSettings> {
        try Loading.load(environment: variables)
    }

    @Test func reportsNoChangesForEqualSettings() throws {
        let update = SettingsUpdate(from: try Self.load(), to: try Self.load())
        #expect(update.changed.isEmpty && update.waiting.isEmpty)
    }

    /// Each setting is reported as changed or as pending a restart, under its own key only.
    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func reportsEachChange(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let companions = SettingSamples.companions(setting).merging(
            ["WINPOWER_EXPORTER_METRICS_STALE_AFTER": "1h", "WINPOWER_EXPORTER_NUT_STALE_AFTER": "1h"]
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

    @Test func comparesSecretsByValue() throws {
        let name = "WINPOWER_EXPORTER_WINPOWER_PASSWORD"
        let update = SettingsUpdate(from: try Self.load([name: "one"]), to: try Self.load([name: "two"]))
        #expect(update.changed == ["winpower.password"])
    }

    /// Changes that loosen access control, with the file before and after.
    @Test(arguments: [
        ("server.auth.username", "username: a, password: b", "bearer_token: c"),
        ("server.auth.bearer_token", "bearer_token: a", "username: a, password: b"),
        ("server.auth.bearer_token", "bearer_token_file: /secret", "username: a, password: b"),
    ])
    func removedCredentialsWeakenAccess(_ key: String, _ old: String, _ new: String) throws {
        let update = try Self.update("server: {auth: {\(old)}}", "server: {auth: {\(new)}}")
        #expect(update.weakened.count == 1)
        #expect(update.weakened.first?.hasPrefix("\(key): this reload weakens access") == true)
        #expect(try Self.update("server: {auth: {\(new)}}", "server: {auth: {\(new)}}").weakened.isEmpty)
    }

    @Test(arguments: [
        ("server.tls.min_version", ", min_version: '1.3'", ""),
        ("server.tls.client_ca_file", ", client_ca_file: /f", ""),
        ("server.tls.client_auth", ", client_ca_file: /f", ", client_ca_file: /f, client_auth: optional"),
        ("server.tls.client_names", ", client_ca_file: /f, client_names: 'a, b'", ", client_ca_file: /f"),
        (
            "server.tls.client_names", ", client_ca_file: /f, client_names: a",
            ", client_ca_file: /f, client_names: 'a,b'"
        ),
    ])
    func lessTLSWeakensAccess(_ key: String, _ old: String, _ new: String) throws {
        let (before, after) = (
            "server: {tls: {cert_file: /f, key_file: /f\(old)}}", "server: {tls: {cert_file: /f, key_file: /f\(new)}}"
        )
        #expect(try Self.update(before, after).weakened.map { $0.prefix { $0 != ":" } } == [key[...]])
        #expect(try Self.update(after, before).weakened.isEmpty)
    }

    @Test(arguments: [
        ("server.tls.cert_file", "server: {tls: {cert_file: /f, key_file: /f}}", "server: {port: 9090}"),
        ("winpower.skip_ssl_verify", "winpower: {timeout: 30s}", "winpower: {skip_ssl_verify: true}"),
        (
            "winpower.tls_fingerprint", "winpower: {tls_fingerprint: \(String(repeating: "a", count: 64))}",
            "winpower: {timeout: 30s}"
        ),
        ("nut.allow", "nut: {allow: 10.0.0.0/8}", "nut: {allow: '10.0.0.0/8,192.168.0.0/16'}"),
        ("nut.require_tls_for_login", "nut: {require_tls_for_login: true}", "nut: {require_tls_for_login: false}"),
        ("nut.tls.cert_file", "nut: {tls: {cert_file: /f, key_file: /f}}", "nut: {low_battery_percent: 10}"),
    ])
    func reportsOtherRemovedProtection(_ key: String, _ old: String, _ new: String) throws {
        #expect(try Self.update(old, new).weakened.map { $0.prefix { $0 != ":" } } == [key[...]])
        #expect(try Self.update(new, old).weakened.isEmpty)
    }

    @Test func doesNotReportANewPasswordAsWeaker() throws {
        let update = try Self.update(
            "server: {auth: {username: a, password: b}}",
            "server: {auth: {username: a, password_file: /secret}}"
        )
        #expect(update.weakened.isEmpty)
    }

    private static func update(_ old: String, _ new: String) throws -> SettingsUpdate<ExporterSettings> {
        var files = FakeFiles()
        for path in ["/secret", "/f"] { files.files[path] = SettingsFile(bytes: Array("text\n".utf8)) }
        return SettingsUpdate(
            from: try Loading.load(yaml: old, files: files),
            to: try Loading.load(yaml: new, files: files)
        )
    }
}
