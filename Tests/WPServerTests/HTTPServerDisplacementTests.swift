// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

/// Eviction of connections beyond the limit.
@Suite("A full server")
struct HTTPServerDisplacementTests {
    @Test func closesTheLongestIdleConnection() async throws {
        let log = CapturingLogHandler()
        let configuration = testConfiguration {
            $0.maxConnections = 2
            $0.evictableAfter = .zero
        }
        try await withServer(configuration, echo, logger: log.logger) { running in
            let port = running.port
            try await onOwnThread {
                func connect() throws -> RawConnection {
                    let connection = try RawConnection(port: port)
                    try connection.send(.get("/"))
                    #expect(try connection.readReply().status == 200)
                    return connection
                }
                // One sends nothing, another one a partial request.
                let silent = try RawConnection(port: port)
                #expect(running.waitFor { $0.openConnections == 1 })
                let slow = try RawConnection(port: port)
                try slow.send("GET /slow HTTP/1.1\r\n")
                #expect(running.waitFor { $0.openConnections == 2 })

                let third = try connect()
                #expect(silent.isClosedByPeer())
                try slow.send("Host: test\r\n\r\n")
                #expect(try slow.readReply().status == 200)

                // Both are idle between requests, the third one for longer.
                let fourth = try connect()
                #expect(third.isClosedByPeer())
                for connection in [slow, fourth] {
                    try connection.send(.get("/"))
                    #expect(try connection.readReply().status == 200)
                }
            }
            #expect(running.server.statistics.displacedConnections == 2)
            #expect(running.server.statistics.refusedConnections == 0)
        }
        #expect(
            log.messages(.warn) == ["An idle connection was closed to make room for a new one"]
        )
    }

    @Test func neverClosesARequestInFlight() async throws {
        let entered = Gate()
        let gate = Gate()
        let handler = ClosureHTTPHandler { _ in
            entered.open()
            await gate.wait()
            return .text("finished")
        }
        let configuration = testConfiguration {
            $0.maxConnections = 1
            $0.evictableAfter = .zero
        }
        try await withServer(configuration, handler) { running in
            async let busy = running.reply(to: .get("/"))
            await entered.wait()
            let rejected = try await running.reply(to: .get("/"))
            #expect(rejected.status == 503)
            gate.open()
            let finished = try await busy
            #expect(finished.text == "finished")
        }
    }
}
