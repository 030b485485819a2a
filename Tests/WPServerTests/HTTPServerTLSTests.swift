// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A server over TLS")
struct HTTPServerTLSTests {
    private static let identity = Result { try TLSTestIdentity() }

    private func configuration(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) throws
        -> HTTPServer.Configuration
    {
        let identity = try Self.identity.get()
        let context = try TLSContext.server(certificateFile: identity.certificate, keyFile: identity.key)
        return testConfiguration {
            $0.tls = context
            change(&$0)
        }
    }

    private func client(_ running: RunningServer) throws -> HTTPClient {
        let origin = try HTTPOrigin(parsing: "https://localhost:\(running.port)")
        return try HTTPClient(
            HTTPClient.Configuration(origin: origin, verification: .authorities(path: Self.identity.get().certificate))
        )
    }

    @Test func keepsTheConnectionAfterAResponse() async throws {
        try await withServer(configuration(), echo) { running in
            let client = try client(running)
            for number in 1...3 {
                let response = try await client.send(HTTPRequest(target: "/\(number)"), timeout: .seconds(60))
                #expect(String(decoding: response.bytes, as: UTF8.self) == "GET /\(number) ")
            }
            #expect(running.server.statistics.acceptedConnections == 1)
            client.close()
        }
    }

    @Test func transfersMoreThanOneRecordInBothDirections() async throws {
        let configuration = try configuration { $0.limits.maxBodyBytes = 4 << 20 }
        let handler = ClosureHTTPHandler { request in
            if request.method == .get {
                return HTTPResponse(
                    body: .stream { writer in
                        for _ in 0..<30 { try await writer.write([UInt8](repeating: 0x62, count: 100_000)) }
                    }
                )
            }
            return HTTPResponse(body: .bytes(try await request.readBody()))
        }
        try await withServer(configuration, handler) { running in
            let client = try client(running)
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let response = try await client.send(
                HTTPRequest(method: .put, target: "/", body: body),
                timeout: .seconds(60)
            )
            #expect(response.bytes == body)
            let streamed = try await client.send(HTTPRequest(target: "/"), timeout: .seconds(60))
            #expect(streamed.bytes.count == 3_000_000)
            client.close()
        }
    }

    @Test func limitsTheDurationOfTheHandshake() async throws {
        let clock = TestClock()
        try await withServer(configuration { $0.readTimeout = .seconds(30) }, echo, clock: clock) { running in
            let areClosed = try await running.talk { silent in
                let slow = try RawConnection(port: running.port)
                // The start of a ClientHello without the rest.
                try slow.send([0x16, 3, 1, 2, 0, 1])
                #expect(running.waitFor { $0.openConnections == 2 })
                running.settleBlocking()
                slow.waitWhileAdvancing(.seconds(30), of: clock, in: running)
                return [silent.isClosedByPeer(), slow.isClosedByPeer()]
            }
            #expect(areClosed == [true, true])
            #expect(await running.eventually { $0.openConnections == 0 })
        }
    }

    /// Files whose disk hangs.
    private struct HangingSource: TLSContextSource {
        let gate: Gate
        let made: TLSContext

        func context() async -> TLSContext {
            await gate.wait()
            return made
        }
    }

    @Test func closesTheConnectionIfTheCertificateLoadsTooSlowly() async throws {
        let identity = try Self.identity.get()
        let made = try TLSContext.server(certificateFile: identity.certificate, keyFile: identity.key)
        let gate = Gate()
        defer { gate.open() }
        let clock = TestClock()
        let configuration = testConfiguration { $0.tls = HangingSource(gate: gate, made: made) }
        try await withServer(configuration, echo, clock: clock) { running in
            let isClosed = try await running.talk { connection in
                #expect(running.waitFor { $0.openConnections == 1 })
                running.settleBlocking()
                connection.waitWhileAdvancing(.seconds(60), of: clock, in: running)
                return connection.isClosedByPeer()
            }
            #expect(isClosed)
            #expect(await running.eventually { $0.failedHandshakes == 1 && $0.openConnections == 0 })
        }
    }

    @Test func reportsTheExpiryOfItsCertificate() async throws {
        let server = HTTPServer(try configuration(), handler: echo)
        let end = try #require(server.statistics.certificateEnd)
        let days = Double(end - Int64(time(nil))) / 86_400
        #expect((1...2).contains(days))
        #expect(HTTPServer(testConfiguration(), handler: echo).statistics.certificateEnd == nil)
    }

    @Test func rejectsAClientNameWithALeadingDot() throws {
        let identity = try Self.identity.get()
        let configuration = TLSServerConfiguration(
            identity: TLSIdentityFiles(certificateFile: identity.certificate, keyFile: identity.key),
            clientAuthorityFile: identity.certificate,
            clientNames: ["good.example", ".example"]
        )
        let error = #expect(throws: TLSError.self) { try TLSContext.server(configuration) }
        #expect(error?.message.contains("\".example\"") == true)
    }

    @Test func closesPlainHTTPConnections() async throws {
        let log = CapturingLogHandler()
        try await withServer(configuration(), echo, logger: log.logger) { running in
            let answer = try await running.talk { connection in
                try connection.send(.get("/"))
                return (try? connection.receiveToEnd()) ?? []
            }
            #expect(!String(decoding: answer, as: UTF8.self).contains("HTTP/1.1"))
            #expect(running.server.statistics.requests == 0)
            #expect(await running.eventually { $0.failedHandshakes == 1 })
        }
        #expect(log.messages(.info).contains("A TLS handshake failed"))
    }

    @Test func shutsDownWithIdleConnections() async throws {
        let configuration = try configuration { $0.gracefulTimeout = .seconds(600) }
        let server = HTTPServer(configuration, handler: echo)
        try server.bind()
        let port = try #require(server.port)
        let run = Task { try await server.run() }
        let running = RunningServer(server: server, port: port, run: run)
        let client = try client(running)
        _ = try await client.send(HTTPRequest(target: "/"), timeout: .seconds(60))
        run.cancel()
        try await run.value
        #expect(server.statistics.openConnections == 0)
        client.close()
    }

    private static let strangers = Result { try TLSTestIdentity() }

    @Test(arguments: [(true, [String]()), (false, []), (true, ["other", "localhost"]), (true, ["other"])])
    func requestsClientCertificates(isRequired: Bool, names: [String]) async throws {
        let identity = try Self.identity.get()
        let stranger = try Self.strangers.get()
        let files = TLSIdentityFiles(certificateFile: identity.certificate, keyFile: identity.key)
        let context = try TLSContext.server(
            TLSServerConfiguration(
                identity: files,
                clientAuthorityFile: identity.certificate,
                requiresClientCertificate: isRequired,
                clientNames: names
            )
        )
        let log = CapturingLogHandler()
        try await withServer(testConfiguration { $0.tls = context }, echo, logger: log.logger) { running in
            let servesKnownClient = try await isServed(running, showing: files)
            #expect(servesKnownClient == (names.isEmpty || names.contains("localhost")))
            let servesAnonymousClient = try await isServed(running, showing: nil)
            #expect(servesAnonymousClient == !isRequired)
            let other = TLSIdentityFiles(certificateFile: stranger.certificate, keyFile: stranger.key)
            let servesUnknownClient = try await isServed(running, showing: other)
            #expect(!servesUnknownClient)
            #expect(await running.eventually { $0.failedHandshakes >= 1 })
        }
        #expect(log.mentions("s certificate was rejected ("))
        #expect(log.mentions("peer did not return a certificate") == isRequired)
    }

    private func isServed(_ running: RunningServer, showing identity: TLSIdentityFiles?) async throws -> Bool {
        let client = try HTTPClient(
            HTTPClient.Configuration(
                origin: try HTTPOrigin(parsing: "https://localhost:\(running.port)"),
                verification: .authorities(path: Self.identity.get().certificate),
                identity: identity
            )
        )
        defer { client.close() }
        do {
            return try await client.send(HTTPRequest(target: "/"), timeout: .seconds(60)).status == .ok
        } catch is HTTPClientError {
            return false
        }
    }

    @Test func sendsAnAlertToAClientWithoutACertificate() async throws {
        let identity = try Self.identity.get()
        let files = TLSIdentityFiles(certificateFile: identity.certificate, keyFile: identity.key)
        let context = try TLSContext.server(
            TLSServerConfiguration(identity: files, clientAuthorityFile: identity.certificate, minimumVersion: .v13)
        )
        try await withServer(testConfiguration { $0.tls = context }, echo) { running in
            let client = try client(running)
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.send(HTTPRequest(target: "/"), timeout: .seconds(60))
            }
            #expect(error?.message.contains("requires a client certificate") == true)
            client.close()
        }
    }
}
