// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPMetrics
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

@Suite("Metrics of the server and of the log", .timeLimit(.minutes(2)))
struct ServingMetricsTests {
    private let registry = Registry()

    /// The value of a family under test.
    private func value(_ name: String) async -> Double? {
        await registry.value(of: "winpower_exporter_" + name)
    }

    /// Waits until a value is as expected, because it changes shortly after a peer sees the effect.
    private func eventually(_ name: String, is expected: Double) async -> Bool {
        await WPTestKit.eventually { await value(name) == expected }
    }

    private func serve(
        _ configuration: HTTPServer.Configuration,
        _ handler: any HTTPHandler,
        _ body: (_ connect: () throws -> HTTPClient) async throws -> Void
    ) async throws {
        let server = HTTPServer(configuration, handler: handler)
        try registry.register(ServingMetrics.collector(prefix: "winpower_exporter") { server.statistics })
        try server.bind()
        let origin = try HTTPOrigin(parsing: "http://127.0.0.1:\(try #require(server.port))")
        let run = Task { try await server.run() }
        try await body { try HTTPClient(HTTPClient.Configuration(origin: origin)) }
        run.cancel()
        try await run.value
    }

    private func status(_ client: HTTPClient) async throws -> HTTPStatus {
        try await client.send(HTTPRequest(target: "/"), timeout: .seconds(60)).status
    }

    @Test func countsOpenAndEvictedConnections() async throws {
        var configuration = HTTPServer.Configuration(host: "127.0.0.1", port: 0, maxConnections: 2)
        configuration.evictableAfter = .zero
        try await serve(configuration, ClosureHTTPHandler { _ in .text("here") }) { connect in
            #expect(await value("http_connections_open") == 0)
            let clients = [try connect(), try connect(), try connect()]
            #expect(try await status(clients[0]) == .ok)
            #expect(await value("http_connections_open") == 1)
            #expect(try await status(clients[1]) == .ok)
            #expect(await value("http_connections_open") == 2)
            #expect(await value("http_connections_displaced_total") == 0)
            #expect(try await status(clients[2]) == .ok)
            #expect(await eventually("http_connections_displaced_total", is: 1))
            #expect(await eventually("http_connections_open", is: 2))
            for client in clients { client.close() }
            #expect(await eventually("http_connections_open", is: 0))
            #expect(await value("http_connections_refused_total") == 0)
        }
    }

    @Test func countsConnectionsBeyondTheLimit() async throws {
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let handler = ClosureHTTPHandler { _ in
            enter.yield()
            for await _ in gate {}
            return .text("finished")
        }
        let configuration = HTTPServer.Configuration(host: "127.0.0.1", port: 0, maxConnections: 1)
        try await serve(configuration, handler) { connect in
            let (busy, refused) = (try connect(), try connect())
            async let answer = status(busy)
            for await _ in entered { break }
            #expect(try await status(refused) == .serviceUnavailable)
            #expect(await eventually("http_connections_refused_total", is: 1))
            #expect(await value("http_connections_displaced_total") == 0)
            open.finish()
            #expect(try await answer == .ok)
            for client in [busy, refused] { client.close() }
        }
    }

    @Test func exposesFailedHandshakesAndCertificateExpiry() async throws {
        let directory = try TemporaryDirectory()
        let (certificate, key) = (directory.file("tls.crt"), directory.file("tls.key"))
        let end = Date(timeIntervalSince1970: 4_000_000_000)
        try CertificateAndKey.selfSigned(for: CertificateSubject(notAfter: end))
            .write(certificateFile: certificate, keyFile: key)
        let tls = try RotatingTLSContext(
            TLSServerConfiguration(identity: TLSIdentityFiles(certificateFile: certificate, keyFile: key))
        )
        let configuration = HTTPServer.Configuration(host: "127.0.0.1", port: 0, tls: tls)
        try await serve(configuration, ClosureHTTPHandler { _ in .text("never") }) { connect in
            #expect(await value("tls_certificate_expiry_timestamp_seconds") == 4_000_000_000)
            #expect(await value("tls_handshake_failures_total") == 0)
            // Speaks plain HTTP.
            let client = try connect()
            await #expect(throws: HTTPClientError.self) { try await status(client) }
            #expect(await eventually("tls_handshake_failures_total", is: 1))
        }
    }

    @Test func exposesNoCertificateExpiryWithoutTLS() async throws {
        let server = HTTPServer(HTTPServer.Configuration(), handler: ClosureHTTPHandler { _ in .text("") })
        try registry.register(ServingMetrics.collector(prefix: "winpower_exporter") { server.statistics })
        #expect(await value("tls_handshake_failures_total") == 0)
        #expect(await value("tls_certificate_expiry_timestamp_seconds") == nil)
    }

    #if os(Linux)
    @Test func countsLostLogRecords() async throws {
        let logging = try LoggingSystem(LoggingConfiguration(output: .file("/dev/full")))
        try registry.register(ServingMetrics.lostLogRecords(prefix: "winpower_exporter") { logging.lostRecords })
        #expect(await value("log_records_lost_total") == 0)
        for _ in 0..<3 { logging.logger.error("Lost") }
        #expect(await value("log_records_lost_total") == 3)
    }
    #endif
}
