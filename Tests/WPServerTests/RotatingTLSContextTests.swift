// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import Synchronization
import Testing
import WPHTTP
import WPLogging
import WPTestKit

@testable import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Reload of a certificate while the server runs", .timeLimit(.minutes(5)))
struct RotatingTLSContextTests {
    private static let identities = Result { (try TLSTestIdentity(), try TLSTestIdentity()) }

    /// Changing files, a test clock, and a log.
    private final class Bench: Sendable {
        let directory: TemporaryDirectory
        let log = CapturingLogHandler()
        let source: RotatingTLSContext
        private let clock = TestClock()

        init() throws {
            let directory = try TemporaryDirectory()
            self.directory = directory
            try Self.copy(identities.get().0, to: directory, certificate: true, key: true)
            let files = TLSIdentityFiles(certificateFile: directory.file("c.pem"), keyFile: directory.file("k.pem"))
            source = try RotatingTLSContext(
                TLSServerConfiguration(identity: files),
                logger: log.logger,
                timeSource: clock
            )
        }

        func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

        func copy(_ identity: TLSTestIdentity, certificate: Bool = true, key: Bool = true) throws {
            try Self.copy(identity, to: directory, certificate: certificate, key: key)
        }

        var errors: [LogRecord] { log.records.filter { $0.level == .error } }

        private static func copy(
            _ identity: TLSTestIdentity,
            to directory: TemporaryDirectory,
            certificate: Bool,
            key: Bool
        ) throws {
            for (isWanted, from, to) in [(certificate, identity.certificate, "c.pem"), (key, identity.key, "k.pem")]
            where isWanted {
                try directory.write(String(contentsOfFile: from, encoding: .utf8), to: to + ".new")
                #expect(rename(directory.file(to + ".new"), directory.file(to)) == 0)
            }
        }
    }

    @Test func theNextConnectionAfterASecondReloads() async throws {
        let bench = try Bench()
        let first = await bench.source.context()
        bench.pass(5)
        #expect(await bench.source.context() === first)
        try bench.copy(Self.identities.get().1)
        #expect(await bench.source.context() === first)
        bench.pass(1)
        let second = await bench.source.context()
        #expect(second !== first)
        bench.pass(1)
        #expect(await bench.source.context() === second)
        let record = try #require(bench.log.records.first { $0.message == "The TLS certificate was reloaded" })
        #expect(record.fields["file"] == .string(bench.directory.file("c.pem")))
        guard case .string(let end) = record.fields["valid_until"] else {
            Issue.record("no expiry in the record")
            return
        }
        #expect(end.hasSuffix(" GMT"))
    }

    @Test func keepsTheOldPairWhileTheNewOneIsUnusable() async throws {
        let bench = try Bench()
        let first = await bench.source.context()
        let other = try Self.identities.get().1
        try bench.copy(other, key: false)
        bench.pass(1)
        #expect(await bench.source.context() === first)
        #expect(bench.errors.count == 1)
        guard case .string(let message) = bench.errors.first?.fields["error"] else {
            Issue.record("no message")
            return
        }
        #expect(message.contains("the key in \(bench.directory.file("k.pem")) does not belong to the certificate in"))
        // Neither retried nor reported again while nothing changes.
        bench.pass(100)
        #expect(await bench.source.context() === first)
        #expect(bench.errors.count == 1)
        try bench.copy(other)
        bench.pass(1)
        #expect(await bench.source.context() !== first)
        #expect(bench.errors.count == 1)
    }

    @Test func limitsLogLinesAboutFaults() async throws {
        let bench = try Bench()
        let first = await bench.source.context()
        for number in 1...10 {
            try bench.directory.write("rubbish \(number)", to: "c.pem")
            bench.pass(10)
            #expect(await bench.source.context() === first)
        }
        // At 10 s and at 70 s.
        #expect(bench.errors.count == 2)
        try FileManager.default.removeItem(atPath: bench.directory.file("c.pem"))
        bench.pass(60)
        #expect(await bench.source.context() === first)
        #expect(bench.errors.count == 3)
        try FileManager.default.createDirectory(
            atPath: bench.directory.file("c.pem"),
            withIntermediateDirectories: true
        )
        bench.pass(60)
        #expect(await bench.source.context() === first)
        #expect(bench.errors.last?.fields["error"] == "\(bench.directory.file("c.pem")) is not a regular file")
    }

    @Test func newConnectionsUseTheNewCertificate() async throws {
        let bench = try Bench()
        let (old, new) = try Self.identities.get()
        try await withServer(testConfiguration { $0.tls = bench.source }, echo) { running in
            func client(_ trusted: TLSTestIdentity) throws -> HTTPClient {
                let origin = try HTTPOrigin(parsing: "https://localhost:\(running.port)")
                return try HTTPClient(
                    HTTPClient.Configuration(origin: origin, verification: .authorities(path: trusted.certificate))
                )
            }
            let before = try client(old)
            _ = try await before.send(HTTPRequest(target: "/"), timeout: .seconds(60))
            try bench.copy(new)
            bench.pass(1)
            let after = try client(new)
            _ = try await after.send(HTTPRequest(target: "/"), timeout: .seconds(60))
            _ = try await before.send(HTTPRequest(target: "/"), timeout: .seconds(60))
            #expect(running.server.statistics.acceptedConnections == 2)
            before.close()
            after.close()
        }
    }
}
