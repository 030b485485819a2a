// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPServer

/// Bodies that a handler returns in parts.
@Suite("Response bodies in parts")
struct HTTPServerPartsTests {
    @Test func skipsEmptyParts() async throws {
        let parts = [[UInt8]](repeating: [], count: 1_000_000) + [Array("end".utf8)]
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .parts(parts)) }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.text == "end")
        }
    }

    /// Small enough for one write, too large for the socket buffer, and more parts than one call can send.
    @Test(arguments: [[], [0], [1, 2, 0, 3], [3_000_000, 5, 2_000_000], Array(repeating: 100, count: 50)])
    func sendsPartsAsOneBody(sizes: [Int]) async throws {
        let parts = sizes.enumerated().map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $1) }
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .parts(parts)) }
        try await withServer(testConfiguration(), handler) { running in
            let replies = try await running.talk { connection in
                try connection.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n")
                let head = try connection.readReply(toHead: true)
                try connection.send(.get("/") + .get("/"))
                return [head, try connection.readReply(), try connection.readReply()]
            }
            #expect(replies.map { $0["content-length"] } == Array(repeating: String(sizes.reduce(0, +)), count: 3))
            #expect(replies[0].body.isEmpty)
            #expect(replies[1].body == Array(parts.joined()))
            #expect(replies[2].body == replies[1].body)
        }
    }
}
