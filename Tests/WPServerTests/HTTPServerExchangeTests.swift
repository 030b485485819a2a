// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPServer
import WPTestKit

@Suite("Requests and responses of the server")
struct HTTPServerExchangeTests {
    @Test func keepsTheConnectionAfterAResponse() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let replies = try await running.talk { connection in
                var replies: [Reply] = []
                for number in 1...3 {
                    try connection.send(.get("/\(number)"))
                    replies.append(try connection.readReply())
                }
                return replies
            }
            #expect(replies.map(\.text) == ["GET /1 ", "GET /2 ", "GET /3 "])
            #expect(replies.allSatisfy { $0.statusLine == "HTTP/1.1 200 OK" && $0["connection"] == nil })
            #expect(running.server.statistics.requests == 3)
            #expect(running.server.statistics.acceptedConnections == 1)
        }
    }

    @Test func sendsDateAndLength() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let reply = try await running.reply(to: .get("/x"))
            #expect(reply["content-length"] == "7")
            #expect(reply["content-type"] == "text/plain; charset=utf-8")
            let date = try #require(reply["date"])
            #expect(
                date.wholeMatch(of: /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil
            )
        }
    }

    @Test func answersPipelinedRequestsInOrder() async throws {
        let entered = Gate()
        let slow = Gate()
        let order = ClosureHTTPHandler { request in
            if request.path == "/slow" {
                entered.open()
                await slow.wait()
            } else {
                #expect(slow.isOpen, "handled before an earlier request")
            }
            return .text(request.target)
        }
        try await withServer(testConfiguration(), order) { running in
            async let texts = running.talk { connection in
                try connection.send(
                    .get("/slow") + .get("/a") + "POST /b HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi"
                        + .get("/c")
                )
                return try (0..<4).map { _ in try connection.readReply().text }
            }
            await entered.wait()
            slow.open()
            let received = try await texts
            #expect(received == ["/slow", "/a", "/b", "/c"])
        }
    }

    @Test func acceptsARequestByteByByte() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let text = try await running.talk { connection in
                let request =
                    "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"
                for byte in request.utf8 { try connection.send([byte]) }
                return try connection.readReply().text
            }
            #expect(text == "POST /x abcde")
        }
    }

    @Test func readsBodies() async throws {
        let configuration = testConfiguration { $0.limits.maxBodyBytes = 3_000_000 }
        let handler = ClosureHTTPHandler { request in
            let body = try await request.readBody()
            return .text("\(body.count) \(body.allSatisfy { $0 == 0x61 })")
        }
        try await withServer(configuration, handler) { running in
            let body = String(repeating: "a", count: 2_000_000)
            let reply = try await running.reply(
                to: "PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
            )
            #expect(reply.text == "2000000 true")
            let chunked = "1E8480\r\n\(body)\r\n0\r\n\r\n"
            let other = try await running.reply(
                to: "PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked
            )
            #expect(other.text == "2000000 true")
        }
    }

    @Test func closesAfterHTTP10() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let (reply, closed) = try await running.talk { connection in
                try connection.send("GET / HTTP/1.0\r\n\r\n")
                return (try connection.readReply(), connection.isClosedByPeer())
            }
            #expect(reply.status == 200)
            #expect(reply["connection"] == "close")
            #expect(closed)
        }
    }

    @Test func keepsAnHTTP10ConnectionOnRequest() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let replies = try await running.talk { connection in
                try (0..<2).map { _ in
                    try connection.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    return try connection.readReply()
                }
            }
            #expect(replies.map { $0["connection"] } == ["keep-alive", "keep-alive"])
        }
    }

    @Test func closesOnRequest() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let (reply, closed) = try await running.talk { connection in
                try connection.send(.get("/a", "Connection: close") + .get("/b"))
                return (try connection.readReply(), connection.isClosedByPeer())
            }
            #expect(reply["connection"] == "close")
            #expect(closed)
        }
    }

    @Test func closesIfTheHandlerRequestsIt() async throws {
        let handler = ClosureHTTPHandler { _ in HTTPResponse(headers: ["Connection": "close"]) }
        try await withServer(testConfiguration(), handler) { running in
            let (reply, closed) = try await running.talk { connection in
                try connection.send(.get("/"))
                return (try connection.readReply(), connection.isClosedByPeer())
            }
            #expect(reply.headers.filter { $0.name == "connection" }.map(\.value) == ["close"])
            #expect(closed)
        }
    }

    @Test func limitsTheRequestsPerConnection() async throws {
        try await withServer(testConfiguration { $0.maxRequestsPerConnection = 2 }, echo) { running in
            let (replies, closed) = try await running.talk { connection in
                try connection.send(.get("/1") + .get("/2") + .get("/3"))
                return (try (0..<2).map { _ in try connection.readReply() }, connection.isClosedByPeer())
            }
            #expect(replies.map { $0["connection"] } == [nil, "close"])
            #expect(closed)
        }
    }

    @Test func omitsTheBodyForHEAD() async throws {
        let handler = ClosureHTTPHandler { request in
            #expect(request.method == .head)
            switch request.path {
            case "/bytes": return .text("twelve bytes")
            case "/length": return HTTPResponse(headers: ["Content-Length": "123"])
            default: return HTTPResponse(body: .stream { _ in Issue.record("a stream ran for HEAD") })
            }
        }
        try await withServer(testConfiguration(), handler) { running in
            let replies = try await running.talk { connection in
                try ["/bytes", "/length", "/stream"].map { path in
                    try connection.send("HEAD \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
                    return try connection.readReply(toHead: true)
                }
            }
            #expect(replies.map { $0["content-length"] } == ["12", "123", nil])
            #expect(replies[2]["transfer-encoding"] == "chunked")
        }
    }

    @Test func sends100ContinueWhenTheHandlerReadsTheBody() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let (interim, final) = try await running.talk { connection in
                try connection.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
                let interim = try connection.readReply()
                try connection.send("ok")
                return (interim, try connection.readReply())
            }
            #expect(interim.statusLine == "HTTP/1.1 100 Continue")
            #expect(final.text == "POST / ok")
        }
    }

    @Test func sendsNo100ContinueIfTheBodyArrivedOrIsEmpty() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let with = try await running.reply(
                to: "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok"
            )
            #expect(with.status == 200)
            let without = try await running.reply(to: .get("/", "Expect: 100-continue"))
            #expect(without.status == 200)
        }
    }

    @Test func rejectsAnOversizedBodyBeforeItIsSent() async throws {
        try await withServer(testConfiguration { $0.limits.maxBodyBytes = 10 }, echo) { running in
            let reply = try await running.reply(
                to: "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(reply.status == 413)
            #expect(reply["connection"] == "close")
        }
    }

    @Test func sendsNoBodyWith204() async throws {
        let handler = ClosureHTTPHandler { _ in HTTPResponse(status: .noContent, body: .bytes([1, 2, 3])) }
        try await withServer(testConfiguration(), handler) { running in
            let replies = try await running.talk { connection in
                try (0..<2).map { _ in
                    try connection.send(.get("/"))
                    return try connection.readReply()
                }
            }
            #expect(replies.map(\.status) == [204, 204])
            #expect(replies[0]["content-length"] == nil)
        }
    }

    @Test func ignoresTheHandlersFramingFields() async throws {
        let handler = ClosureHTTPHandler { _ in
            HTTPResponse(
                headers: ["Content-Length": "99", "Transfer-Encoding": "gzip", "Keep-Alive": "timeout=5"],
                body: .bytes(Array("abc".utf8))
            )
        }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply["content-length"] == "3")
            #expect(reply["transfer-encoding"] == nil)
            #expect(reply["keep-alive"] == nil)
            #expect(reply.text == "abc")
        }
    }

    @Test func sendsAResponseLargerThanTheSocketBuffer() async throws {
        let body = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .bytes(body)) }
        try await withServer(testConfiguration(), handler) { running in
            let replies = try await running.talk { connection in
                try connection.send(.get("/1") + .get("/2"))
                return [try connection.readReply(), try connection.readReply()]
            }
            #expect(replies.allSatisfy { $0.body == body })
        }
    }

    @Test func servesManyConnectionsConcurrently() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let sum = try await running.talk { first in
                let others = try (0..<100).map { _ in try RawConnection(port: running.port) }
                let all = [first] + others
                var sum = 0
                for round in 0..<3 {
                    for (index, connection) in all.enumerated() { try connection.send(.get("/\(index)-\(round)")) }
                    for (index, connection) in all.enumerated().reversed() {
                        if try connection.readReply().text == "GET /\(index)-\(round) " { sum += 1 }
                    }
                }
                return sum
            }
            #expect(sum == 303)
        }
    }
}
