// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPProgram
import WPSettings

/// Empty values never disable access control, and open access causes a warning.
@Suite struct AccessControlSettingsTests {
    private static let keys = [
        "server.auth.username", "server.auth.password", "server.auth.password_file", "server.auth.password_hash",
        "server.auth.password_hash_file", "server.auth.bearer_token", "server.auth.bearer_token_file",
        "server.tls.client_ca_file", "server.tls.client_auth", "server.tls.client_names", "hub.token", "hub.token_file",
        "nut.users_file", "nut.allow", "history.url", "history.url_file",
    ]
    private static let secretFile = FakeFiles(["/secret": "x\n"])

    @Test(arguments: keys)
    func rejectsAnEmptyVariable(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let faults = Loading.faults(environment: [setting.variable: ""])
        #expect(faults.first?.hasPrefix("\(setting.variable): \(key): found nothing, expected ") == true, "\(faults)")
        #expect(faults.first?.hasSuffix("would leave access open, so remove the variable if that is intended") == true)
    }

    @Test(arguments: keys, ["", " ~", " null", " \"\"", " ''", " ${NOT_SET:-}", " ${EMPTY}"])
    func rejectsAnEmptyKey(_ key: String, _ value: String) {
        let parts = key.split(separator: ".")
        let lines = parts.enumerated().map { String(repeating: "  ", count: $0.offset) + $0.element + ":" }
        let yaml = lines.joined(separator: "\n") + "\(value)\n"
        let faults = Loading.faults(yaml: yaml, environment: ["EMPTY": ""])
        #expect(faults.first?.hasPrefix("config.yaml:") == true, "\(faults)")
        #expect(faults.first?.contains(": \(key): found nothing, expected ") == true, "\(faults)")
    }

    @Test(arguments: keys)
    func rejectsAnEmptyFlag(_ key: String) throws {
        let flag = try #require(ExporterSettings.table.setting(key)).flag
        let faults = Loading.faults(flags: [ParsedFlag(flag, key: key, value: "")])
        #expect(faults.contains { $0.hasPrefix("\(flag): \(key): found nothing, expected ") }, "\(faults)")
    }

    @Test func rejectsAnEmptySecretFile() {
        let faults = Loading.faults(
            environment: ["WINPOWER_EXPORTER_SERVER_AUTH_BEARER_TOKEN_FILE": "/token"],
            files: FakeFiles(["/token": "\n"])
        )
        #expect(faults.count == 1 && faults[0].hasSuffix("cannot use /token: it is empty"))
    }

    @Test func rejectsEmptyClientNames() {
        let files = ["CERT_FILE", "KEY_FILE", "CLIENT_CA_FILE"]
        let tls = Dictionary(
            uniqueKeysWithValues: files.map { ("WINPOWER_EXPORTER_SERVER_TLS_\($0)", "/secret") }
        )
        for names in [",", " , ", ",,"] {
            let faults = Loading.faults(
                environment: tls.merging(["WINPOWER_EXPORTER_SERVER_TLS_CLIENT_NAMES": names]) { $1 },
                files: Self.secretFile
            )
            #expect(faults.count == 1 && faults[0].contains("it names nobody"), "\(faults)")
        }
    }

    @Test func treatsOtherEmptySettingsAsUnset() throws {
        let yaml = "server:\n  auth:\n  tls:\n    cert_file:\n  host: ''\nlogging:\n  levels: ${EMPTY}\n"
        let loaded = try Loading.load(yaml: yaml, environment: ["EMPTY": "", "WINPOWER_EXPORTER_PORT": ""])
        #expect(loaded.settings.server == ExporterSettings().server)
        #expect(loaded.warnings.count == 2)
    }

    @Test func rejectsAUserNameWithAColon() {
        let faults = Loading.faults(environment: [
            "WINPOWER_EXPORTER_SERVER_AUTH_USERNAME": "a:b", "WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD": "hunter2",
        ])
        #expect(
            faults == [
                "WINPOWER_EXPORTER_SERVER_AUTH_USERNAME: server.auth.username: found `a:b`, expected text without "
                    + "control characters; a user name of Basic authentication cannot contain a colon"
            ]
        )
    }

    private func warnings(_ yaml: String) throws -> [String] {
        try Loading.load(yaml: yaml, files: Self.secretFile).warnings
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "ups.example", "127.0.0.1.example"])
    func warnsAboutCredentialsWithoutTLS(_ host: String) throws {
        let basic = "username: u, password_file: /secret"
        let named = try warnings("server: {host: '\(host)', auth: {\(basic)}}")
        #expect(named.count == 1)
        #expect(named.first?.hasPrefix("server.auth.username (config.yaml:1:") == true)
        #expect(named.first?.contains("send their credentials unencrypted to \(host)") == true)
        let token = try warnings("server: {host: '\(host)', auth: {bearer_token: t}}")
        #expect(token.count == 1 && token[0].hasPrefix("server.auth.bearer_token (config.yaml:1:"))
        let file = try warnings("server: {host: '\(host)', auth: {bearer_token_file: /secret}}")
        #expect(file.count == 1 && file[0].hasPrefix("server.auth.bearer_token_file (config.yaml:1:"))
        let tls = "tls: {cert_file: /secret, key_file: /secret}"
        #expect(try warnings("server: {host: '\(host)', auth: {\(basic)}, \(tls)}") == [])
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost", "a.localhost", "LOCALHOST"])
    func doesNotWarnAboutLoopback(_ host: String) throws {
        let auth = "auth: {username: u, password_file: /secret}"
        #expect(try warnings("server: {host: '\(host)', enable_reload: true, enable_pprof: true}") == [])
        #expect(try warnings("server: {host: '\(host)', \(auth)}") == [])
    }

    @Test func warnsAboutReloadAndDebugWithoutCredentials() throws {
        let reload = try warnings("server: {enable_reload: true}")
        #expect(reload.count == 1 && reload[0].hasPrefix("server.enable_reload (config.yaml:1:25): anyone who reaches"))
        let both = try warnings("server: {enable_reload: true, enable_pprof: true}")
        #expect(both.count == 2 && both[1].hasPrefix("server.enable_pprof (config.yaml:1:"))
        let tls = "tls: {cert_file: /secret, key_file: /secret"
        #expect(try warnings("server: {enable_reload: true, \(tls)}}").count == 1)
        #expect(try warnings("server: {enable_reload: true, \(tls), client_ca_file: /secret}}") == [])
        let optional = "\(tls), client_ca_file: /secret, client_auth: optional}"
        #expect(try warnings("server: {enable_reload: true, \(optional)}").count == 1)
        #expect(try warnings("server: {enable_pprof: true, \(tls)}, auth: {bearer_token_file: /secret}}") == [])
    }
}
