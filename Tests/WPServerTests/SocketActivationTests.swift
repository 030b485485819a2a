// SPDX-License-Identifier: MIT

import WPSockets
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

@Suite("Socket activation")
struct SocketActivationTests {
    private static func listener(on host: String) throws -> (descriptor: Int32, port: Int) {
        let socket = try ListeningSocket.open(host: host, port: 0, backlog: 8)
        return (socket.take(), try #require(socket.port))
    }

    @Test func servesInheritedSocketsInsteadOfHostAndPort() async throws {
        let (v4, v6) = (try Self.listener(on: "127.0.0.1"), try Self.listener(on: "::1"))
        let log = CapturingLogHandler()
        let configuration = testConfiguration { $0.host = "192.0.2.1" }
        let server = HTTPServer(configuration, handler: echo, logger: log.logger)
        try server.bind(to: [v4.descriptor, v6.descriptor])
        #expect(server.port == v4.port)
        #expect(fcntl(v4.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(v6.descriptor, F_GETFL) & O_NONBLOCK != 0)
        let run = Task { try await server.run() }
        let texts = try await onOwnThread {
            try [(v4.port, RawConnection.Family.v4), (v6.port, .v6)].map { port, family in
                let connection = try RawConnection(port: port, family: family)
                try connection.send(.get("/\(family)"))
                return try connection.readReply().text
            }
        }
        #expect(texts == ["GET /v4 ", "GET /v6 "])
        run.cancel()
        try await run.value
        let listening = log.records.filter { $0.message == "Listening" }
        #expect(listening.map { $0.fields["address"] } == ["127.0.0.1:\(v4.port)", "[::1]:\(v6.port)"])
        #expect(listening.allSatisfy { $0.fields["inherited"] == true })
    }

    @Test func rejectsASocketThatDoesNotListenForStreams() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        let plain = SocketPlatform.makeStreamSocket(family: AF_INET)
        defer { close(plain) }
        for descriptor in [file, plain, 1_000_000] {
            let server = HTTPServer(testConfiguration(), handler: echo)
            let error = #expect(throws: HTTPServerError.self) { try server.bind(to: [descriptor]) }
            #expect(error?.code == .notListening)
            #expect(error?.message.contains("Accept=no") == true)
        }
    }

    @Test func listensOnItsHostWithoutInheritedSockets() throws {
        let server = HTTPServer(testConfiguration(), handler: echo)
        try server.bind(to: [])
        #expect(server.port != nil)
    }
}
