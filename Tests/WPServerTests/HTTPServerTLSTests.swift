// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestSupport

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

    @Test func answersAndKeepsTheConnection() async throws {
        try await withServer(configuration(), echo) { running in
            let client = try client(running)
            for number in 1...3 {
                let response = try await client.send(HTTPRequest(target: "/\(number)"), timeout: .seconds(10))
                #expect(String(decoding: response.bytes, as: UTF8.self) == "GET /\(number) ")
            }
            #expect(running.server.statistics.acceptedConnections == 1)
            client.close()
        }
    }

    @Test func movesMoreThanARecordBothWays() async throws {
        let configuration = try configuration { $0.limits.maxBodyBytes = 4 << 20 }
        let handler = ClosureHTTPHandler { request in
            if request.method == .get {
                return HTTPResponse(
                    body: .stream { writer in
                        for _ in 0..<30 { try await writer.write([UInt8](repeating: 0x62, count: 100_000)) }
                    }
                )
            }
            return HTTPResponse(body: .bytes(request.body))
        }
        try await withServer(configuration, handler) { running in
            let client = try client(running)
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let response = try await client.send(
                HTTPRequest(method: .put, target: "/", body: body),
                timeout: .seconds(10)
            )
            #expect(response.bytes == body)
            let streamed = try await client.send(HTTPRequest(target: "/"), timeout: .seconds(10))
            #expect(streamed.bytes.count == 3_000_000)
            client.close()
        }
    }

    @Test func boundsTheHandshake() async throws {
        try await withServer(configuration { $0.readTimeout = .milliseconds(100) }, echo) { running in
            let areClosed = try await running.talk { silent in
                let slow = try RawConnection(port: running.port)
                // The start of a ClientHello, and never the rest.
                try slow.send([0x16, 3, 1, 2, 0, 1])
                return [silent.isClosedByPeer(), slow.isClosedByPeer()]
            }
            #expect(areClosed == [true, true])
            #expect(await running.eventually { $0.openConnections == 0 })
        }
    }

    @Test func dropsWhoSpeaksPlainHTTP() async throws {
        let log = CapturingLogHandler()
        try await withServer(configuration(), echo, logger: log.logger) { running in
            let answer = try await running.talk { connection in
                try connection.send(.get("/"))
                return (try? connection.receiveToEnd()) ?? []
            }
            #expect(!String(decoding: answer, as: UTF8.self).contains("HTTP/1.1"))
            #expect(running.server.statistics.requests == 0)
        }
        #expect(log.messages().contains("A TLS handshake failed"))
    }

    @Test func stopsWithIdleConnections() async throws {
        let configuration = try configuration { $0.gracefulTimeout = .seconds(600) }
        let server = HTTPServer(configuration, handler: echo)
        try server.bind()
        let port = try #require(server.port)
        let run = Task { try await server.run() }
        let running = RunningServer(server: server, port: port, run: run)
        let client = try client(running)
        _ = try await client.send(HTTPRequest(target: "/"), timeout: .seconds(10))
        run.cancel()
        try await run.value
        #expect(server.statistics.openConnections == 0)
        client.close()
    }
}
