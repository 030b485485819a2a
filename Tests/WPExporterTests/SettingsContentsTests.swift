// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging
import WPModel
@testable import WPProgram
import WPServer
import WPSettings
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Contents of files named by settings")
struct SettingsContentsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func keys(_ change: (inout ExporterSettings) -> Void) -> [String] {
        var settings = ExporterSettings()
        change(&settings)
        return Self.problems(settings).map { ExporterSettings.table[$0.keyPath].key }
    }

    private static func problems(_ settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        ServerAccess(\ExporterSettings.server).problems(in: settings) + SettingsContents.problems(in: settings)
    }

    @Test func acceptsTheDefaults() {
        #expect(Self.problems(ExporterSettings()).isEmpty)
    }

    @Test func reportsEachFileUnderItsKey() throws {
        let bad = try directory.write("rubbish\n", to: "bad.pem")
        #expect(keys { $0.winpower.caFile = bad } == ["winpower.ca_file"])
        let (good, other) = (try Identity("good", directory), try Identity("other", directory))
        func keysOfTLS(_ change: (inout ServerTLSSettings) -> Void) -> [String] {
            keys { settings in
                settings.server.tls.certFile = good.certificate
                settings.server.tls.keyFile = good.key
                change(&settings.server.tls)
            }
        }
        #expect(keysOfTLS { _ in } == [])
        #expect(keysOfTLS { $0.certFile = bad } == ["server.tls.cert_file"])
        #expect(keysOfTLS { $0.keyFile = bad } == ["server.tls.key_file"])
        #expect(keysOfTLS { $0.keyFile = other.key } == ["server.tls.key_file"])
        #expect(keysOfTLS { $0.clientCAFile = other.certificate } == [])
        #expect(
            keysOfTLS {
                $0.clientCAFile = bad
                $0.keyFile = bad
            } == ["server.tls.client_ca_file", "server.tls.key_file"]
        )
    }

    @Test func rejectsAnInvalidPasswordHash() throws {
        #expect(keys { $0.server.auth.passwordHash = Secret("hunter2") } == ["server.auth.password_hash"])
        let path = try directory.write("hunter2\n", to: "hash")
        let settings = {
            var settings = ExporterSettings()
            settings.server.auth.passwordHashFile = path
            return settings
        }()
        let problem = try #require(Self.problems(settings).first)
        #expect(ExporterSettings.table[problem.keyPath].key == "server.auth.password_hash_file")
        #expect(!problem.message.contains("hunter2"))
    }

    @Test func splitsClientNames() throws {
        var settings = ServerTLSSettings()
        #expect(TLSServerConfiguration(settings) == nil)
        settings.certFile = "c"
        settings.keyFile = "k"
        #expect(TLSServerConfiguration(settings)?.clientNames == [])
        settings.clientNames = " a.example , b.example,,"
        settings.clientAuth = .optional
        settings.minVersion = .v13
        let configuration = try #require(TLSServerConfiguration(settings))
        #expect(configuration.clientNames == ["a.example", "b.example"])
        #expect(!configuration.requiresClientCertificate)
        #expect(configuration.minimumVersion == .v13)
    }

    @Test(arguments: [-60, 3600])
    func warnsAboutAnExpiredCertificate(end: Double) throws {
        let identity = try Identity("server", directory, notAfter: Date(timeIntervalSinceNow: end))
        let log = CapturingLogHandler()
        let files = TLSIdentityFiles(certificateFile: identity.certificate, keyFile: identity.key)
        _ = try RotatingTLSContext(TLSServerConfiguration(identity: files), logger: log.logger)
        let warnings = log.messages(.warn)
        #expect(warnings.count == (end < 0 ? 1 : 0))
        #expect(warnings.allSatisfy { $0.hasPrefix("The TLS certificate has expired") })
    }

    private struct Identity {
        let certificate: String
        let key: String

        init(
            _ name: String,
            _ directory: TemporaryDirectory,
            notAfter: Date = Date(timeIntervalSinceNow: 3600)
        ) throws {
            certificate = directory.file("\(name).pem")
            key = directory.file("\(name).key")
            let subject = CertificateSubject(commonName: name, names: [.dns("localhost")], notAfter: notAfter)
            try CertificateAndKey.selfSigned(for: subject).write(certificateFile: certificate, keyFile: key)
        }
    }
}
