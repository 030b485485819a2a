// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPCore
import WPProgram
import WPSettings

@Suite struct SettingsRulesTests {
    private static let prefix = ExporterSettings.table.prefix
    private static let secretFile = FakeFiles(["/secret": "x\n"])

    @Test(arguments: [
        (["WINPOWER_API_TIMEOUT": "31s"], "winpower.api_timeout (31s) must be at most winpower.timeout (30s)"),
        (
            ["WINPOWER_REFRESH_THRESHOLD": "30m"],
            "winpower.refresh_threshold (30m) must be less than winpower.token_lifetime (30m)"
        ),
        (["ENERGY_MAX_GAP": "9s"], "energy.max_gap (9s) must be at least 2 × scheduler.collection_interval (5s)"),
        (["SERVER_HEADER_TIMEOUT": "31s"], "server.header_timeout (31s) must be at most server.read_timeout (30s)"),
        (["SERVER_BODY_TIMEOUT": "31s"], "server.body_timeout (31s) must be at most server.read_timeout (30s)"),
        (
            ["METRICS_STALE_AFTER": "4s"],
            "metrics.stale_after (4s) must be at least 2 × scheduler.collection_interval (5s)"
        ),
    ])
    func enforcesTheOrderOfDurations(_ environment: [String: String], _ message: String) throws {
        let variables = Dictionary(uniqueKeysWithValues: environment.map { (Self.prefix + $0.key, $0.value) })
        let faults = Loading.faults(environment: variables)
        #expect(faults.count == 1, "\(faults)")
        let fault = try #require(faults.first)
        let name = try #require(variables.keys.first)
        #expect(fault.hasPrefix("\(name): "), "the fault belongs to the variable that was set: \(fault)")
        #expect(fault.contains(message), "\(fault)")
        #expect(fault.contains("has its default"))
    }

    @Test func adjustsDefaultsToExplicitSettings() throws {
        let loaded = try Loading.load(yaml: "winpower: {timeout: 5s, token_lifetime: 4m}")
        #expect(loaded.settings.winpower.apiTimeout == .seconds(5))
        #expect(loaded.settings.winpower.refreshThreshold == .seconds(120))
        let shown = loaded.effective.filter { ["winpower.api_timeout", "winpower.refresh_threshold"].contains($0.key) }
        #expect(shown.map(\.value) == ["5s", "2m"])
        #expect(shown.allSatisfy { $0.origin == .standard })
        let defaults = try Loading.load(yaml: "winpower: {timeout: 60s, token_lifetime: 1h}").settings.winpower
        #expect(defaults.apiTimeout == .seconds(10))
        #expect(defaults.refreshThreshold == .seconds(300))
    }

    @Test func rejectsExplicitSettingsOutOfOrder() {
        let faults = Loading.faults(
            yaml: "winpower: {timeout: 5s, api_timeout: 10s, token_lifetime: 4m, refresh_threshold: 5m}\n"
        )
        #expect(faults.count == 2)
        #expect(faults.first?.contains("api_timeout (10s) must be at most winpower.timeout (5s)") == true)
        #expect(faults.last?.contains("refresh_threshold (5m) must be less than winpower.token_lifetime (4m)") == true)
    }

    @Test func acceptsEqualDurations() throws {
        let loaded = try Loading.load(
            yaml: """
                winpower: {timeout: 10s, api_timeout: 10s}
                scheduler: {collection_interval: 1m}
                energy: {max_gap: 2m}
                metrics: {stale_after: 2m}
                """
        )
        #expect(loaded.settings.metrics.staleAfter == .seconds(120))
        #expect(loaded.settings.energy.maxGap == .seconds(120))
    }

    @Test func staleAfterFollowsTheInterval() throws {
        let loaded = try Loading.load(flags: [
            ParsedFlag("--interval", key: "scheduler.collection_interval", value: "7s")
        ])
        #expect(loaded.settings.metrics.staleAfter == .seconds(21))
        let effective = try #require(loaded.effective.first { $0.key == "metrics.stale_after" })
        #expect(effective == loaded.effective.first { $0.value == "21s" && $0.origin == .standard })
    }

    @Test func namesBothLocationsOfAConflict() {
        let faults = Loading.faults(
            yaml: "energy: {max_gap: 2s}\n",
            flags: [ParsedFlag("--interval", key: "scheduler.collection_interval", value: "3s")]
        )
        #expect(
            faults == [
                "--interval: scheduler.collection_interval: energy.max_gap (2s) must be at least "
                    + "2 × scheduler.collection_interval (3s); energy.max_gap is set by config.yaml:1:19; "
                    + "otherwise a collection that is a little late is not counted as energy"
            ]
        )
    }

    @Test(arguments: [
        ("winpower.password", "winpower.password_file"),
        ("server.auth.password", "server.auth.password_file"),
        ("server.auth.password", "server.auth.password_hash"),
        ("server.auth.password", "server.auth.password_hash_file"),
        ("server.auth.password_hash", "server.auth.password_hash_file"),
        ("server.auth.bearer_token", "server.auth.bearer_token_file"),
    ])
    func acceptsEitherASecretOrItsFile(_ key: String, _ fileKey: String) throws {
        let (secret, file) = try (
            #require(ExporterSettings.table.setting(key)), #require(ExporterSettings.table.setting(fileKey))
        )
        var environment = [secret.variable: "hunter2", file.variable: "/secret"]
        if key.hasPrefix("server.auth.password") { environment["WINPOWER_EXPORTER_SERVER_AUTH_USERNAME"] = "user" }
        let faults = Loading.faults(environment: environment, files: Self.secretFile)
        #expect(
            faults == [
                "\(file.variable): \(fileKey): \(key) is set too (\(secret.variable)); only one of them may be set"
            ]
        )
    }

    @Test func requiresUserNameAndPasswordTogether() {
        let name = ["WINPOWER_EXPORTER_SERVER_AUTH_USERNAME": "u"]
        let password = ["WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD": "hunter2"]
        let file = ["WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD_FILE": "/secret"]
        #expect(
            Loading.faults(environment: name) == [
                "WINPOWER_EXPORTER_SERVER_AUTH_USERNAME: server.auth.username: a user name needs a password: "
                    + "set server.auth.password_hash_file or another such setting"
            ]
        )
        #expect(
            Loading.faults(environment: password) == [
                "WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD: server.auth.password: a password needs a user name: "
                    + "set server.auth.username"
            ]
        )
        #expect(Loading.faults(environment: file, files: Self.secretFile).count == 1)
        #expect(Loading.faults(environment: name.merging(password) { $1 }) == [])
        #expect(Loading.faults(environment: name.merging(file) { $1 }, files: Self.secretFile) == [])
        #expect(Loading.faults(environment: ["WINPOWER_EXPORTER_SERVER_AUTH_BEARER_TOKEN": "hunter2"]) == [])
    }

    @Test(
        arguments: [
            (["CERT_FILE"], "server.tls.cert_file", "a certificate needs its key: set server.tls.key_file"),
            (["KEY_FILE"], "server.tls.key_file", "a key needs its certificate: set server.tls.cert_file"),
            (["CLIENT_CA_FILE"], "server.tls.client_ca_file", "has no TLS: set server.tls.cert_file"),
            (["CERT_FILE", "KEY_FILE", "CLIENT_NAMES"], "server.tls.client_names", "set server.tls.client_ca_file"),
            (["CERT_FILE", "KEY_FILE", "CLIENT_CA_FILE", "CLIENT_NAMES"], "", ""),
            (["CERT_FILE", "KEY_FILE"], "", ""),
        ] as [([String], String, String)]
    )
    func requiresCompleteTLSSettings(_ names: [String], _ key: String, _ message: String) {
        let environment = Dictionary(
            uniqueKeysWithValues: names.map { ("\(Self.prefix)SERVER_TLS_\($0)", "/secret") }
        )
        let faults = Loading.faults(environment: environment, files: Self.secretFile)
        #expect(faults.count == (key.isEmpty ? 0 : 1), "\(faults)")
        #expect(faults.allSatisfy { $0.contains(": \(key): ") && $0.contains(message) }, "\(faults)")
    }

    @Test func requiresACertificateAuthorityForClientAuthentication() {
        let faults = Loading.faults(yaml: "server: {tls: {client_auth: required}}")
        let message = "clients' certificates need an authority: set server.tls.client_ca_file"
        #expect(faults == ["config.yaml:1:29: server.tls.client_auth: \(message)"])
    }

    @Test func limitsTheHeaderTimeoutToTheReadTimeout() throws {
        let server = try Loading.load(yaml: "server: {read_timeout: 5s}").settings.server
        #expect(server.headerTimeout == .seconds(5) && server.bodyTimeout == .seconds(5))
    }

    @Test func warnsAboutAWorldReadableKey() throws {
        var files = FakeFiles(["/cert": "x", "/key": "x"])
        files.files["/key"]?.isReadableByAll = true
        files.files["/cert"]?.isReadableByAll = true
        let loaded = try Loading.load(yaml: "server: {tls: {cert_file: /cert, key_file: /key}}", files: files)
        #expect(loaded.warnings.count == 1)
        #expect(loaded.warnings.first?.hasPrefix("/key (server.tls.key_file) holds a private key") == true)
    }

    @Test func reportsProblemsOfTheCallerAtTheirLocation() throws {
        let files = FakeFiles(["config.yaml": "winpower:\n  ca_file: /ca\n", "/ca": "x"])
        let loader = SettingsLoader(ExporterSettings.table, environment: Loading.required, files: files)
        let problem = SettingProblem<ExporterSettings>(\.winpower.caFile, "no certificate")
        let faults = #expect(throws: SettingsFaults.self) {
            try loader.load(configPath: "config.yaml") { settings in settings.winpower.caFile == "/ca" ? [problem] : []
            }
        }
        #expect(faults?.description == "config.yaml:2:12: winpower.ca_file: no certificate")
        #expect(faults?.faults.map(\.code) == [.unusableContent])
        #expect(throws: Never.self) {
            try loader.load(configPath: "config.yaml", checksFiles: false) { _ in [problem] }
        }
    }

    @Test func readsAPasswordFromItsFile() throws {
        let loaded = try Loading.load(
            environment: ["WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE": "/secret"],
            without: ["winpower.password"],
            files: FakeFiles(["/secret": "from file\n"])
        )
        #expect(loaded.settings.winpower.target?.password == .file("/secret"))
        let secret = try loaded.settings.winpower.target?.password.secret(using: FakeFiles(["/secret": "rotated\n"]))
        #expect(secret?.reveal() == "rotated")
    }

    @Test func requiresNamedFiles() throws {
        let environment = [
            "WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE": "/a", "WINPOWER_EXPORTER_WINPOWER_CA_FILE": "/b",
            "WINPOWER_EXPORTER_SERVER_AUTH_BEARER_TOKEN_FILE": "/c",
        ]
        let files = FakeFiles(["/c": ""])
        let faults = Loading.faults(environment: environment, without: ["winpower.password"], files: files)
        #expect(
            faults == [
                "WINPOWER_EXPORTER_WINPOWER_PASSWORD_FILE: winpower.password_file: cannot use /a: no such file",
                "WINPOWER_EXPORTER_SERVER_AUTH_BEARER_TOKEN_FILE: server.auth.bearer_token_file: cannot use /c: it is empty",
                "WINPOWER_EXPORTER_WINPOWER_CA_FILE: winpower.ca_file: cannot use /b: no such file",
            ]
        )
        var required = Loading.required
        required["WINPOWER_EXPORTER_WINPOWER_PASSWORD"] = nil
        let loader = SettingsLoader(
            ExporterSettings.table,
            environment: required.merging(environment) { $1 },
            files: files
        )
        #expect(try loader.load(checksFiles: false).settings.winpower.caFile == "/b")
    }

    @Test func warnsAboutASecretInAWorldReadableFile() throws {
        var files = FakeFiles()
        for (text, key) in [
            ("winpower: {password: x}", "winpower.password"), ("winpower: {proxy: 'http://u:x@p:1'}", "winpower.proxy"),
            ("hub: {proxy: 'http://u:x@p:1'}", "hub.proxy"), ("winpower: {proxy: 'http://p:1'}", nil),
            ("server: {port: 1}", nil),
        ] {
            for isReadableByAll in [true, false] {
                files.files["./config.yaml"] = SettingsFile(bytes: Array(text.utf8), isReadableByAll: isReadableByAll)
                let loaded = try SettingsLoader(ExporterSettings.table, environment: [:], files: files).load(
                    configPath: "./config.yaml",
                    requiresAll: false
                )
                #expect(loaded.warnings.count == (key != nil && isReadableByAll ? 1 : 0), "\(text)")
                #expect(loaded.warnings.allSatisfy { $0.contains("./config.yaml contains \(key ?? "")") })
            }
        }
    }

    @Test(arguments: [
        ("http://winpower.example.com", true), ("https://winpower.example.com", false),
        ("http://localhost:8081", false),
        ("http://127.8.0.1", false), ("http://[::1]:80", false), ("http://127.0.0.1.example.com", true),
        ("http://10.0.0.1", true),
    ])
    func warnsAboutAnUnencryptedPassword(_ url: String, _ isWarned: Bool) throws {
        let loaded = try Loading.load(environment: ["WINPOWER_EXPORTER_WINPOWER_BASE_URL": url])
        #expect(loaded.warnings.count == (isWarned ? 1 : 0))
        #expect(loaded.warnings.allSatisfy { $0.contains("unencrypted") })
        let withoutPassword = try Loading.load(
            environment: ["WINPOWER_EXPORTER_WINPOWER_BASE_URL": url],
            without: ["winpower.password"],
            requiresAll: false
        )
        #expect(withoutPassword.warnings == [])
    }

    @Test(arguments: [("15m", false), ("15m1ms", true)])
    func warnsAboutARefreshThatCannotBeEarlier(_ threshold: String, _ isWarned: Bool) throws {
        let loaded = try Loading.load(yaml: "winpower: {token_lifetime: 30m, refresh_threshold: \(threshold)}")
        #expect(loaded.warnings.count == (isWarned ? 1 : 0))
        #expect(loaded.warnings.allSatisfy { $0.hasPrefix("winpower.refresh_threshold (config.yaml:1:52): a token") })
    }

    @Test(arguments: [
        ("winpower.base_url", "http://u:hunter2@h"), ("winpower.base_url", "ftp://hunter2"),
        ("hub.url", "http://u:hunter2@h"), ("hub.url", "ftp://hunter2"), ("hub.proxy", "ftp://hunter2"),
    ])
    func doesNotQuoteAnInvalidAddress(_ key: String, _ text: String) {
        let parts = key.split(separator: ".")
        let faults = Loading.faults(yaml: "\(parts[0]): {\(parts[1]): '\(text)'}")
        #expect(faults.count == 1 && faults[0].contains(key) && !faults[0].contains("hunter2"), "\(faults)")
        if key == "hub.url", text.contains("@") { #expect(faults[0].contains("use hub.token_file")) }
    }

    @Test(arguments: [
        ("60s", 60, "1m"), ("3660d", 316_224_000, "3660d"), ("1d", 86_400, "1d"), ("48h", 172_800, "2d"),
        ("36h", 129_600, "36h"), ("24h1ms", 86_400.001, "24h1ms"),
    ])
    func readsARetention(_ text: String, _ seconds: Double, _ shown: String) throws {
        let loaded = try Loading.load(yaml: "history: {retention: \(text)}")
        #expect(loaded.settings.history.retention == .milliseconds(seconds * 1000))
        #expect(loaded.effective.first { $0.key == "history.retention" }?.value == shown)
    }

    @Test(arguments: ["59s", "0d", "3661d", "d", "+1d", "1.5d", "-1d", "1", "99999999999999999999d", "1d12h"])
    func rejectsOtherRetentions(_ text: String) {
        #expect(Loading.faults(yaml: "history: {retention: '\(text)'}").count == 1)
    }

    @Test func warnsAboutDisabledVerificationAndSecretsOnTheCommandLine() throws {
        let loaded = try Loading.load(flags: [
            ParsedFlag("--skip-ssl-verify", key: "winpower.skip_ssl_verify", value: "true"),
            ParsedFlag("--winpower.password", key: "winpower.password", value: "hunter2"),
        ])
        #expect(loaded.warnings.count == 2)
        #expect(loaded.warnings.first?.contains("--winpower.password-file") == true)
        #expect(loaded.warnings.last?.contains("winpower.skip_ssl_verify (--skip-ssl-verify)") == true)
    }
}
