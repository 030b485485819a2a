// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPServer

/// When a server reads the bodies of requests, and when it does not.
@Suite("Request bodies")
struct HTTPServerBodyTests {
    private static func router() -> HTTPRouter {
        var router = HTTPRouter()
        router.on(.put, "/echo") { request in
            .text(String(decoding: try await request.readBody(), as: UTF8.self))
        }
        router.on(.put, "/small") { request in
            .text(String(decoding: try await request.readBody(upTo: 4), as: UTF8.self))
        }
        router.on(.put, "/unread") { _ in .text("unread") }
        return router
    }

    private static func put(_ path: String, length: Int, _ lines: String...) -> String {
        let lines = ["Host: test", "Content-Length: \(length)"] + lines
        return "PUT \(path) HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(arguments: [("/nothing", 404), ("/unread", 200)])
    func answersWithoutReadingAnUnusedBody(path: String, status: Int) async throws {
        try await withServer(testConfiguration(), Self.router()) { running in
            try await running.talk { connection in
                // The body never arrives: waiting for it would never end.
                try connection.send(Self.put(path, length: 1000))
                let reply = try connection.readReply()
                #expect(reply.status == status)
                #expect(reply["connection"] == "close")
                connection.endSending()
                #expect(connection.isClosedByPeer())
            }
        }
    }

    @Test func checksMethodAndCredentialsBeforeTheBody() async throws {
        var router = Self.router()
        router.accessControl = HTTPAccessControl { HTTPAccessControl.Credentials(bearer: { $0 == "token" }) }
        let guarded = router
        try await withServer(testConfiguration(), guarded) { running in
            let head = Self.put("/echo", length: 1000, "Expect: 100-continue")
            // Without 100 Continue.
            let rejected = try await running.reply(to: head)
            #expect(rejected.status == 401)
            let post = "POST /echo HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer token\r\nContent-Length: 1000\r\n\r\n"
            let disallowed = try await running.reply(to: post)
            #expect(disallowed.status == 405)
        }
    }

    @Test func keepsTheConnectionAfterAnUnusedBody() async throws {
        try await withServer(testConfiguration(), Self.router()) { running in
            try await running.talk { connection in
                try connection.send(Self.put("/unread", length: 3) + "abc" + Self.put("/echo", length: 3) + "def")
                let first = try connection.readReply()
                #expect(first.text == "unread" && first["connection"] == nil)
                #expect(try connection.readReply().text == "def")
            }
        }
    }

    @Test(arguments: [(4, "", 200), (5, "", 413)])
    func aHandlerSetsItsOwnLimit(length: Int, line: String, status: Int) async throws {
        let seen = Mutex<[String]>([])
        let observer: HTTPServer.Observer = { exchange in seen.withLock { $0.append(exchange.route) } }
        try await withServer(testConfiguration(), Self.router(), observer: observer) { running in
            let body = String(repeating: "x", count: length)
            let whole = try await running.reply(to: Self.put("/small", length: length) + body)
            #expect(whole.status == status)
            let chunked =
                "PUT /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n\(length)\r\n\(body)\r\n0\r\n\r\n"
            let chunks = try await running.reply(to: chunked)
            #expect(chunks.status == status)
        }
        #expect(seen.withLock { $0 } == [String](repeating: status == 200 ? "/small" : "malformed", count: 2))
    }

    @Test func returnsTheSameBodyToEveryCaller() async throws {
        let handler = ClosureHTTPHandler { request in
            let once = try await request.readBody()
            let twice = try await request.readBody(upTo: 6)
            return .text("\(once == twice) \(twice.count)")
        }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: Self.put("/", length: 6) + "abcdef")
            #expect(reply.text == "true 6")
        }
    }

    @Test func limitsABodyTo4KilobytesByDefault() async throws {
        let configuration = testConfiguration { $0.limits = HTTPLimits() }
        try await withServer(configuration, Self.router()) { running in
            let most = String(repeating: "x", count: 4096)
            let large = try await running.reply(to: Self.put("/echo", length: 4096) + most)
            #expect(large.text == most)
            let tooLarge = try await running.reply(to: Self.put("/echo", length: 4097))
            #expect(tooLarge.status == 413)
        }
    }

    @Test func readsTheBodyOnAnotherExecutor() async throws {
        actor Elsewhere {
            func text(_ request: HTTPRequest) async throws -> String {
                String(decoding: try await request.readBody(), as: UTF8.self)
            }
        }
        let elsewhere = Elsewhere()
        let handler = ClosureHTTPHandler { .text(try await elsewhere.text($0)) }
        try await withServer(testConfiguration(), handler) { running in
            try await running.talk { connection in
                for _ in 0..<20 {
                    try connection.send(Self.put("/", length: 6))
                    try connection.send("abcdef")
                    #expect(try connection.readReply().text == "abcdef")
                }
            }
        }
    }

    @Test(arguments: ["Expect: 200-fine", "Content-Length: x", "Content-Length: 1\r\nContent-Length: 1"])
    func aRejectionOfHEADHasNoContent(line: String) async throws {
        try await withServer(testConfiguration(), Self.router()) { running in
            let bytes = try await running.talk { connection in
                try connection.send("HEAD /echo HTTP/1.1\r\nHost: t\r\n\(line)\r\n\r\n")
                return try connection.receiveToEnd()
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 4"))
            #expect(text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func aRejectionAfterHEADHasContent() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let rejection = try await running.talk { connection in
                try connection.send("HEAD / HTTP/1.1\r\nHost: t\r\n\r\n")
                _ = try connection.readReply(toHead: true)
                try connection.send("no request\r\n\r\n")
                return try connection.readReply()
            }
            #expect(rejection.status == 400 && rejection.isComplete)
            #expect(rejection.text.hasPrefix("The request line"))
        }
    }
}
