// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPServer

/// The requirements of RFC 9112 for servers that receive incomplete, unusual and invalid requests.
@Suite("Conformance of a server")
struct HTTPServerConformanceTests {
    @Test(arguments: [
        "G", "GET ", "GET /hello", "GET /hello ", "GET /hello HTTP", "GET /hello HTTP/1.1", "GET /hello HTTP/1.1\r",
        "GET /hello HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nHos", "GET /hello HTTP/1.1\r\nHost:",
        "GET /hello HTTP/1.1\r\nHost: ", "GET /hello HTTP/1.1\r\nHost: localhost",
        "GET /hello HTTP/1.1\r\nHost: localhost\r", "GET /hello HTTP/1.1\r\nHost: localhost\r\n",
        "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r",
    ])
    func waitsForTheRest(fragment: String) async throws {
        let whole = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await withServer(testConfiguration(), echo) { running in
            let (hasEarlyAnswer, reply) = try await running.talk { connection in
                try connection.send(fragment)
                running.settleBlocking()
                let isEarly = connection.isReadable(within: 0)
                try connection.send(Array(whole.utf8.dropFirst(fragment.utf8.count)))
                return (isEarly, try connection.readReply())
            }
            #expect(!hasEarlyAnswer)
            #expect(reply.text == "GET /hello ")
        }
    }

    @Test func acceptsAnyFragmentation() async throws {
        let whole = Array("POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc".utf8)
        try await withServer(testConfiguration(), echo) { running in
            let right = try await running.talk { connection in
                try (1..<whole.count).count { cut in
                    try connection.send(Array(whole[..<cut]))
                    try connection.send(Array(whole[cut...]))
                    return try connection.readReply().text == "POST /hello abc"
                }
            }
            #expect(right == whole.count - 1)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "GET / HTTP/1.1\r\nhoSt:\texample.com\r\nempty:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: example.com\r\nX-Empty-Header: \r\n\r\n",
        "GET / HTTP/1.1\r\nHost: example.com\r\nExpect: 100-continue\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\n\r\nhello",
        "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 0\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "GET http://example.com/ HTTP/1.1\r\nHost: other\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    ])
    func answersValidRequests(request: String) async throws {
        try await withServer(testConfiguration(), echo) { running in
            let reply = try await running.reply(to: request)
            #expect(reply.status == 200)
        }
    }

    @Test(arguments: [
        ("GET / \r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: a\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Invalid[]: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -123456789123456789123456789\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1234\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Control: b\u{7}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Nul: b\0\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505),
        ("Extra lineGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n\rX: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: tea\r\n\r\n", 417),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET /" + String(repeating: "a", count: 9000), 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 33_000) + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: 101), 431),
        ("\u{16}\u{3}\u{1}\u{2}", 400),
    ])
    func rejectsAndCloses(request: String, status: Int) async throws {
        try await withServer(testConfiguration(), echo) { running in
            let (reply, isClosed) = try await running.talk { connection in
                try connection.send(request)
                return (try connection.readReply(), connection.isClosedByPeer())
            }
            #expect(reply.status == status)
            #expect(reply["connection"] == "close")
            #expect(reply["content-type"] == "text/plain; charset=utf-8")
            #expect(isClosed)
            #expect(running.server.statistics.malformedRequests == 1)
            // Errors in a chunked body appear when the handler reads it.
            let isBodyMalformed = request.hasPrefix("POST") && request.contains("chunked")
            #expect(running.server.statistics.requests == (isBodyMalformed ? 1 : 0))
            // The server continues to serve.
            let next = try await running.reply(to: .get("/"))
            #expect(next.status == 200)
        }
    }

    @Test func answersRequestsBeforeTheMalformedOne() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let statuses = try await running.talk { connection in
                try connection.send(.get("/1") + .get("/2") + "GARBAGE\r\n\r\n" + .get("/3"))
                let statuses = try (0..<3).map { _ in try connection.readReply().status }
                return statuses + [connection.isClosedByPeer() ? 0 : 1]
            }
            #expect(statuses == [200, 200, 400, 0])
        }
    }

    @Test func aPeerCanReadTheRejectionWhileSending() async throws {
        try await withServer(testConfiguration { $0.limits.maxBodyBytes = 100 }, echo) { running in
            let reply = try await running.reply(
                to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"
                    + String(repeating: "x", count: 2_000_000)
            )
            #expect(reply.status == 413)
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func survivesMutatedRequests(seed: UInt64) async throws {
        let configuration = testConfiguration { $0.readTimeout = .milliseconds(200) }
        try await withServer(configuration, echo) { running in
            let port = running.port
            let answers = try await onOwnThread {
                var state = seed
                func random(_ bound: Int) -> Int {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return Int(state >> 33) % bound
                }
                let valid = Array(
                    "POST /a?b HTTP/1.1\r\nHost: a:1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8
                )
                var answers = 0
                for _ in 0..<300 {
                    var bytes = valid
                    for _ in 0...random(4) {
                        let index = random(bytes.count)
                        switch random(3) {
                        case 0: bytes[index] = UInt8(random(256))
                        case 1: bytes.insert(UInt8(random(256)), at: index)
                        default: bytes.removeSubrange(index..<min(bytes.count, index + 1 + random(5)))
                        }
                        if bytes.isEmpty { bytes = valid }
                    }
                    let connection = try RawConnection(port: port)
                    try connection.send(bytes)
                    connection.endSending()
                    if (try? connection.readReply()) != nil { answers += 1 }
                }
                return answers
            }
            #expect(answers > 50)
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.status == 200)
        }
    }
}
