// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

@Suite("Streamed responses")
struct HTTPServerStreamTests {
    private struct Failure: Error {}

    private static let letters = ClosureHTTPHandler { _ in
        HTTPResponse(
            body: .stream { writer in
                for letter in ["a", "bc", "", String(repeating: "d", count: 300)] {
                    try await writer.write(Array(letter.utf8))
                }
            }
        )
    }
    private static let text = "abc" + String(repeating: "d", count: 300)

    @Test func sendsChunks() async throws {
        try await withServer(testConfiguration(), Self.letters) { running in
            let replies = try await running.talk { connection in
                try (0..<2).map { _ in
                    try connection.send(.get("/"))
                    return try connection.readReply()
                }
            }
            #expect(replies.allSatisfy { $0["transfer-encoding"] == "chunked" && $0["content-length"] == nil })
            #expect(replies.map(\.text) == [Self.text, Self.text])
        }
    }

    @Test func endsAnHTTP10StreamWithTheConnection() async throws {
        try await withServer(testConfiguration(), Self.letters) { running in
            let reply = try await running.reply(to: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(reply["transfer-encoding"] == nil)
            #expect(reply["connection"] == "close")
            #expect(reply.text == Self.text)
        }
    }

    @Test func sendsAnEmptyStream() async throws {
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .stream { _ in }) }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.status == 200)
            #expect(reply.isComplete)
            #expect(reply.body.isEmpty)
        }
    }

    @Test func sendsEachWriteImmediately() async throws {
        let gate = Gate()
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(
                body: .stream { writer in
                    try await writer.write(Array("first".utf8))
                    await gate.wait()
                    try await writer.write(Array("second".utf8))
                }
            )
        }
        try await withServer(testConfiguration(), handler) { running in
            let body = try await running.talk { connection in
                try connection.send(.get("/"))
                let first = try connection.receive()
                gate.open()
                connection.putBack(first)
                return (String(decoding: first, as: UTF8.self).contains("first"), try connection.readReply().text)
            }
            #expect(body.0)
            #expect(body.1 == "firstsecond")
        }
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
    func closesTheConnectionWhenTheBodyFails(version: String) async throws {
        let log = CapturingLogHandler()
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(
                body: .stream { writer in
                    try await writer.write(Array("half".utf8))
                    throw Failure()
                }
            )
        }
        try await withServer(testConfiguration(), handler, logger: log.logger) { running in
            let end = try await running.talk { connection -> String in
                try connection.send("GET / \(version)\r\nHost: t\r\n\r\n")
                do {
                    let reply = try connection.readReply()
                    return reply.isComplete ? "complete" : "incomplete"
                } catch {
                    return "reset"
                }
            }
            #expect(end == "reset")
            #expect(running.server.statistics.handlerFailures == 1)
        }
        #expect(log.messages(.error) == ["A request's handler failed"])
    }

    @Test func answers500WhenTheBodyFailsBeforeTheFirstByte() async throws {
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .stream { _ in throw Failure() }) }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.status == 500)
            #expect(reply.text == "500 Internal Server Error\n")
        }
    }

    /// A writer that escapes, contrary to its documentation.
    private final class Escape: @unchecked Sendable {
        var writer: (any HTTPBodyWriter)?
    }

    @Test func rejectsWritesAfterTheEnd() async throws {
        let escape = Escape()
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(
                body: .stream { writer in
                    escape.writer = writer
                    try await writer.write(Array("ok".utf8))
                }
            )
        }
        try await withServer(testConfiguration(), handler) { running in
            let (reply, next) = try await running.talk { connection in
                try connection.send(.get("/"))
                let reply = try connection.readReply()
                try connection.send(.get("/"))
                return (reply, try connection.readReply())
            }
            #expect(reply.text == "ok")
            #expect(next.text == "ok")
        }
        let error = await #expect(throws: (any Error).self) { try await escape.writer?.write([1]) }
        #expect(error.map { String(describing: $0) } == "a body was written to after its end")
    }

    @Test func writesFromAnotherExecutor() async throws {
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(
                body: .stream { writer in
                    nonisolated(unsafe) let writer = writer
                    try await withTaskExecutorPreference(globalConcurrentExecutor) {
                        for _ in 0..<100 { try await writer.write(Array("0123456789".utf8)) }
                    }
                }
            )
        }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.text == String(repeating: "0123456789", count: 100))
        }
    }

    @Test func waitsForASlowReader() async throws {
        let chunk = [UInt8](repeating: 0x61, count: 100_000)
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(body: .stream { writer in for _ in 0..<100 { try await writer.write(chunk) } })
        }
        try await withServer(testConfiguration(), handler) { running in
            let count = try await running.talk {
                try $0.send(.get("/")); return try $0.readReply().body.count
            }
            #expect(count == 10_000_000)
        }
    }
}
