// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPLogging
@testable import WPProgram
import WPServer
import WPSettings
import WPSimulator
import WPTestKit

@Suite("The settings of every program")
struct ServerSettingsTests {
    @Test func hasTheDocumentedDefaults() throws {
        let shown = try Loaded.settings([:]).effective.map { "\($0.key)=\($0.value)" }
        #expect(
            shown.filter { !$0.hasSuffix("=") && !$0.hasPrefix("probe.") } == [
                "server.host=127.0.0.1", "server.port=0", "server.read_timeout=30s", "server.header_timeout=10s",
                "server.body_timeout=20s", "server.write_timeout=30s", "server.idle_timeout=1m",
                "server.max_connections=1024", "server.max_requests_per_connection=10000",
                "server.max_request_line_bytes=8KiB", "server.max_header_bytes=32KiB", "server.max_header_count=100",
                "server.max_body_bytes=4KiB", "server.max_pipelined_bytes=16KiB", "server.shutdown_timeout=5s",
                "server.enable_pprof=false", "server.enable_reload=false", "server.tls.min_version=1.2",
                "server.tls.client_auth=required", "logging.level=info", "logging.format=json",
                "logging.output=stdout", "logging.max_size=100", "logging.max_age=7", "logging.max_backups=3",
                "logging.compress=true", "logging.enable_caller=false", "logging.enable_stacktrace=false",
            ]
        )
        #expect(ServerSettings(port: 1).host == "0.0.0.0")
    }

    @Test(arguments: [
        ("server.port", ["0", "65535"], ["-1", "65536"]),
        ("server.read_timeout", ["100ms", "3600s"], ["99ms", "3601s"]),
        ("server.header_timeout", ["100ms", "3600s"], ["99ms", "3601s"]),
        ("server.body_timeout", ["100ms", "3600s"], ["99ms", "3601s"]),
        ("server.write_timeout", ["100ms", "3600s"], ["99ms", "3601s"]),
        ("server.idle_timeout", ["100ms", "3600s"], ["99ms", "3601s"]),
        ("server.max_connections", ["1", "100000"], ["0", "100001"]),
        ("server.max_requests_per_connection", ["1", "1000000"], ["0", "1000001"]),
        ("server.max_request_line_bytes", ["1024", "1MiB"], ["1023", "1048577"]),
        ("server.max_header_bytes", ["1024", "1MiB"], ["1023", "1048577"]),
        ("server.max_header_count", ["10", "10000"], ["9", "10001"]),
        ("server.max_body_bytes", ["1024", "64MiB"], ["1023", "67108865"]),
        ("server.max_pipelined_bytes", ["1024", "16KiB"], ["1023", "16385"]),
        ("server.shutdown_timeout", ["0s", "300s"], ["301s"]),
        (
            "server.additional_addresses", ["a:0,b:65535", "[::1]:1, [::2]:2"],
            [",", "a:65536", "a:1,a:1", "::1:1", "]:1"]
        ),
        ("server.auth.username", [], ["a:b"]),
        ("server.tls.client_names", [], [",", " , "]),
        ("logging.max_size", ["1", "10240"], ["0", "10241"]),
        ("logging.max_age", ["0", "3650"], ["-1", "3651"]),
        ("logging.max_backups", ["0", "1000"], ["-1", "1001"]),
        ("logging.levels", ["http=debug"], ["http"]),
    ])
    func acceptsValuesWithinItsLimits(_ key: String, _ accepted: [String], _ rejected: [String]) throws {
        let base =
            ["server.header_timeout", "server.body_timeout"].contains(key) ? ["server.read_timeout": "3600s"] : [:]
        for text in accepted { _ = try Loaded.settings(base.merging([key: text]) { $1 }) }
        for text in rejected {
            let faults = #expect(throws: SettingsFaults.self, "\(text)") {
                try Loaded.settings(base.merging([key: text]) { $1 })
            }
            #expect(faults?.faults.first?.key == key, "\(text)")
        }
    }

    @Test(arguments: [("5s", "5s", "5s"), ("15s", "10s", "15s"), ("60s", "10s", "20s")])
    func derivesItsTimeLimitsFromTheReadTimeout(_ read: String, _ header: String, _ body: String) throws {
        let effective = try Loaded.settings(["server.read_timeout": read]).effective
        func value(_ key: String) -> String? { effective.first { $0.key == key }?.value }
        #expect(value("server.header_timeout") == header)
        #expect(value("server.body_timeout") == body)
    }

    @Test func configuresTheServer() {
        var settings = ServerSettings(host: "192.0.2.1", port: 81)
        settings.additionalAddresses = [ListenAddress(":82"), ListenAddress("[::1]:83")].compactMap(\.self)
        settings.readTimeout = .seconds(1)
        settings.headerTimeout = .seconds(2)
        settings.bodyTimeout = .seconds(3)
        settings.writeTimeout = .seconds(4)
        settings.idleTimeout = .seconds(5)
        settings.maxConnections = 6
        settings.maxRequestsPerConnection = 7
        settings.maxRequestLineBytes = 8
        settings.maxHeaderBytes = 9
        settings.maxHeaderCount = 10
        settings.maxBodyBytes = 11
        settings.maxPipelinedBytes = 12
        let made = HTTPServer.Configuration(settings, tls: nil, gracefulTimeout: .seconds(13))
        #expect(made.host == "192.0.2.1" && made.port == 81 && made.tls == nil)
        #expect(made.additionalAddresses.map { "\($0)" } == ["0.0.0.0:82", "[::1]:83"])
        #expect(settings.additionalAddresses.map(\.description) == [":82", "[::1]:83"])
        #expect(
            [made.readTimeout, made.headerTimeout, made.bodyTimeout, made.writeTimeout, made.idleTimeout]
                == [.seconds(1), .seconds(2), .seconds(3), .seconds(4), .seconds(5)]
        )
        #expect(made.maxConnections == 6 && made.maxRequestsPerConnection == 7 && made.maxPipelinedBytes == 12)
        #expect(
            made.limits
                == HTTPLimits(maxStartLineBytes: 8, maxHeaderBytes: 9, maxHeaderCount: 10, maxBodyBytes: 11)
        )
        #expect(made.gracefulTimeout == .seconds(13))
    }

    @Test func configuresTLS() throws {
        var settings = ServerTLSSettings()
        #expect(TLSServerConfiguration(settings) == nil)
        settings.certFile = "c"
        #expect(TLSServerConfiguration(settings) == nil)
        settings.keyFile = "k"
        let identity = TLSIdentityFiles(certificateFile: "c", keyFile: "k")
        #expect(TLSServerConfiguration(settings) == TLSServerConfiguration(identity: identity))
        (settings.clientCAFile, settings.clientAuth) = ("ca", .optional)
        (settings.clientNames, settings.minVersion) = (" a.example ,, b c", .v13)
        let expected = TLSServerConfiguration(
            identity: identity,
            clientAuthorityFile: "ca",
            requiresClientCertificate: false,
            clientNames: ["a.example", "b c"],
            minimumVersion: .v13
        )
        #expect(TLSServerConfiguration(settings) == expected)
    }

    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("a.localhost", true), ("::1", true), ("127.0.0.1", true),
        ("127.255.255.255", true), ("127.0.0.256", false), ("127.0.0", false), ("127.0.0.1.1", false),
        ("127.0..1", false), ("128.0.0.1", false), ("10.0.0.127", false), ("localhost.example", false), ("::2", false),
        ("0.0.0.0", false),
    ])
    func recognizesLoopbackHosts(_ host: String, _ expected: Bool) {
        #expect(Loopback.contains(host) == expected)
    }

    // MARK: Access

    private static let access = ServerAccess(\ProbeSettings.server)

    /// The keys that warnings about access begin with.
    private static func warned(_ change: (inout ServerSettings) -> Void) -> [String] {
        var settings = ProbeSettings()
        settings.server.host = "0.0.0.0"
        change(&settings.server)
        let name: (SettingPath<ProbeSettings>) -> String = { ProbeSettings.table[$0].key }
        return (access.warnings(settings, name) + access.openWarnings(settings, name)).map {
            String($0.prefix { $0 != ":" })
        }
    }

    @Test func warnsAboutUnencryptedCredentials() {
        #expect(Self.warned { _ in }.isEmpty)
        #expect(Self.warned { $0.auth.username = "x" } == ["server.auth.username"])
        #expect(Self.warned { $0.auth.bearerToken = Secret("x") } == ["server.auth.bearer_token"])
        #expect(Self.warned { $0.auth.bearerTokenFile = "x" } == ["server.auth.bearer_token_file"])
        #expect(Self.warned { ($0.auth.username, $0.tls.certFile) = ("x", "y") }.isEmpty)
        #expect(Self.warned { ($0.auth.username, $0.host) = ("x", "127.0.0.1") }.isEmpty)
    }

    @Test func warnsAboutOpenEndpoints() {
        func open(_ change: (inout ServerSettings) -> Void = { _ in }) -> [String] {
            Self.warned {
                ($0.enableReload, $0.enablePprof) = (true, true)
                change(&$0)
            }
        }
        let both = ["server.enable_reload", "server.enable_pprof"]
        #expect(open() == both)
        #expect(open { $0.enablePprof = false } == [both[0]])
        #expect(open { $0.enableReload = false } == [both[1]])
        #expect(open { $0.host = "::1" }.isEmpty)
        #expect(open { ($0.auth.bearerToken, $0.tls.certFile) = (Secret("x"), "y") }.isEmpty)
        #expect(open { $0.tls.clientCAFile = "x" }.isEmpty)
        #expect(open { ($0.tls.clientCAFile, $0.tls.clientAuth) = ("x", .optional) } == both)
    }

    private typealias Change = @Sendable (inout ServerSettings) -> Void

    @Test func reportsReloadsThatWeakenAccess() throws {
        func weakened(_ old: Change, _ new: Change) throws -> [String] {
            let loaded = try Loaded.settings([:])
            let update = SettingsUpdate(from: loaded.adding { old(&$0.server) }, to: loaded.adding { new(&$0.server) })
            return update.weakened.map { String($0.prefix { $0 != ":" }) }
        }
        let none: Change = { _ in }
        let authority: Change = { $0.tls.clientCAFile = "x" }
        let optional: Change = { ($0.tls.clientCAFile, $0.tls.clientAuth) = ("x", .optional) }
        let names: Change = { $0.tls.clientNames = "a,b" }
        let cases: [(key: String, strong: Change, weak: Change)] = [
            ("server.auth.username", { $0.auth.username = "x" }, none),
            ("server.auth.bearer_token", { $0.auth.bearerTokenFile = "x" }, none),
            ("server.tls.cert_file", { $0.tls.certFile = "x" }, none),
            ("server.tls.min_version", { $0.tls.minVersion = .v13 }, none),
            ("server.tls.client_ca_file", authority, none), ("server.tls.client_auth", authority, optional),
            ("server.tls.client_names", names, none),
            ("server.tls.client_names", names, { $0.tls.clientNames = "a,c" }),
        ]
        for (key, strong, weak) in cases {
            #expect(try weakened(strong, weak) == [key])
            #expect(try weakened(strong, strong).isEmpty, "\(key)")
            #expect(try weakened(weak, weak).isEmpty, "\(key)")
        }
        for (_, strong, weak) in cases.dropLast() { #expect(try weakened(weak, strong).isEmpty) }
        #expect(try weakened(none, { $0.tls.clientAuth = .optional }).isEmpty)
        #expect(try weakened(names, { $0.tls.clientNames = "b" }).isEmpty)
    }

    @Test func examinesTheNamedFiles() throws {
        let directory = try TemporaryDirectory()
        let (certificate, key) = (directory.file("tls.crt"), directory.file("tls.key"))
        try CertificateAndKey.selfSigned(for: CertificateSubject()).write(certificateFile: certificate, keyFile: key)
        let hash = try directory.write("$5$saltstring$G6XlWxglxGeny2MMNjQlD.6YtHoX28goWYJZ9mnSSZ7\n", to: "hash")
        let broken = try directory.write("nonsense", to: "broken")
        func problems(_ change: (inout ServerSettings) -> Void) -> [String] {
            var settings = ProbeSettings()
            change(&settings.server)
            return Self.access.problems(in: settings).map { ProbeSettings.table[$0.keyPath].key }
        }
        #expect(problems { _ in }.isEmpty)
        #expect(
            problems {
                ($0.tls.certFile, $0.tls.keyFile, $0.tls.clientCAFile) = (certificate, key, certificate)
                $0.auth.passwordHashFile = hash
            }.isEmpty
        )
        #expect(problems { $0.tls.clientCAFile = broken } == ["server.tls.client_ca_file"])
        #expect(problems { ($0.tls.certFile, $0.tls.keyFile) = (broken, key) } == ["server.tls.cert_file"])
        #expect(problems { ($0.tls.certFile, $0.tls.keyFile) = (certificate, broken) } == ["server.tls.key_file"])
        #expect(problems { $0.auth.passwordHash = Secret("plain") } == ["server.auth.password_hash"])
        #expect(problems { $0.auth.passwordHashFile = broken } == ["server.auth.password_hash_file"])
        #expect(problems { $0.auth.passwordHashFile = directory.file("missing") }.isEmpty)
    }
}
