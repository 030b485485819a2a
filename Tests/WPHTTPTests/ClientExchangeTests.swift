// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPSockets
import WPTestKit
import WPGzip

@testable import WPHTTP

@Suite("What the client sends and understands", .timeLimit(.minutes(1)))
struct ClientExchangeTests {
    @Test("A request goes out in one piece, with the client's own fields before the caller's")
    func requestOnTheWire() async throws {
        let seen = Mutex<[String]>([])
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                seen.withLock { $0.append(request) }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let client = try makeClient(of: server.port, url: "http://127.0.0.1:\(server.port)/base/") {
            $0.userAgent = "test/1"
        }
        let post = HTTPRequest(method: .post, target: "/a?b=c", headers: ["X-One": "1"], body: Array("body".utf8))
        #expect(try await client.send(post, timeout: ample).status == .ok)
        #expect(try await client.send(HTTPRequest(target: "/"), timeout: ample).status == .ok)
        #expect(
            seen.withLock { $0 } == [
                "POST /base/a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: test/1\r\n"
                    + "Accept-Encoding: gzip, deflate\r\nX-One: 1\r\nContent-Length: 4\r\n\r\nbody",
                "GET /base/ HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: test/1\r\n"
                    + "Accept-Encoding: gzip, deflate\r\n\r\n",
            ]
        )
    }

    @Test("A POST without a body says so, and the caller's User-Agent and Accept-Encoding go first")
    func emptyPost() throws {
        let origin = try HTTPOrigin(parsing: "http://h")
        let request = HTTPRequest(method: .post, target: "/", headers: ["user-agent": "x", "accept-encoding": "br"])
        let encoded = try EncodedRequest(request, to: origin, userAgent: "y", acceptsCompression: true)
        #expect(
            String(decoding: encoded.bytes, as: UTF8.self)
                == "POST / HTTP/1.1\r\nHost: h\r\nuser-agent: x\r\naccept-encoding: br\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(!encoded.asksForCompression)
    }

    @Test(
        "Bodies end by length, by chunks, or with the connection",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: t\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.0 200 OK\r\n\r\nhello",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        ]
    )
    func bodyFraming(_ bytes: String) async throws {
        let response = try await answer(bytes)
        #expect(response.status == .ok)
        #expect(response.text == "hello")
        #expect(response.headers["Link"] == nil)
    }

    @Test(
        "A response that has no body is not waited for",
        arguments: [
            ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Encoding: gzip\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n"),
        ]
    )
    func noBody(method: String, bytes: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(bytes)
            peer.waitForEnd()
        }
        let request = HTTPRequest(method: HTTPMethod(rawValue: method), target: "/")
        let response = try await makeClient(of: server.port).send(request, timeout: ample)
        #expect(response.bytes.isEmpty)
    }

    @Test("A response cut into single bytes is the same response")
    func singleBytes() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n5\r\nhello\r\n0\r\n\r\n", every: 0)
            peer.waitForEnd()
        }
        let response = try await makeClient(of: server.port).send(HTTPRequest(target: "/"), timeout: ample)
        #expect(response.text == "hello")
        #expect(response.headers["a"] == "b")
    }

    @Test("A redirect is a response like another")
    func redirect() async throws {
        let response = try await answer(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(response.status == .init(code: 302))
        #expect(response.headers["Location"] == "http://127.0.0.1:1/")
    }

    @Test("A gzip body is decompressed, and its fields no longer claim otherwise")
    func gzip() async throws {
        let body = try Gzip.compress(Array("hello".utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: \(body.count)\r\n\r\n"
        let response = try await answer(Array(head.utf8) + body)
        #expect(response.text == "hello")
        #expect(response.headers["Content-Encoding"] == nil)
        #expect(response.headers["Content-Length"] == nil)
    }

    @Test("A deflate body is decompressed, be it in the zlib format as the standard says or raw as some servers send")
    func deflate() async throws {
        // "hello" by zlib's own compressor, and the same without header and checksum.
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]
        for body in [zlib, Array(zlib[2..<9])] {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(body.count)\r\n\r\n"
            let response = try await answer(Array(head.utf8) + body)
            #expect(response.text == "hello")
            #expect(response.headers["Content-Encoding"] == nil)
        }
    }

    @Test(
        "What nobody asked the client to decompress stays as it came",
        arguments: [
            ("gzip", false), ("br", true), ("gzip, gzip", true),
        ]
    )
    func untouchedCoding(coding: String, acceptsCompression: Bool) async throws {
        let response = try await answer("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\nxy")
        {
            $0.acceptsCompression = acceptsCompression
        }
        #expect(response.text == "xy")
        #expect(response.headers["Content-Encoding"] == coding)
    }

    @Test("A large body comes whole both ways")
    func largeBodies() async throws {
        let server = try ScriptedServer { peer in
            let request = peer.readRequest() ?? ""
            let body = request.drop { $0 != "x" }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            peer.waitForEnd()
        }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600_000)
        let request = HTTPRequest(method: .put, target: "/", body: body)
        let response = try await makeClient(of: server.port).send(request, timeout: ample)
        #expect(response.bytes == body)
    }

    @Test("A server that refuses a request before it has all of it is heard")
    func earlyRefusal() async throws {
        let server = try ScriptedServer { peer in
            peer.readSome()
            peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            peer.reset()
        }
        let request = HTTPRequest(method: .post, target: "/", body: [UInt8](repeating: 0, count: 8 << 20))
        // Whether the reset overtakes the refusal is up to the network; a hang or another failure is a fault.
        do {
            let response = try await makeClient(of: server.port).send(request, timeout: ample)
            #expect(response.status == .contentTooLarge)
        } catch let error as HTTPClientError {
            #expect(error.code == .closed)
        }
    }

    @Test("IPv6 works where there is any", .enabled("the loopback has no IPv6 here") { hasIPv6() })
    func ipv6() async throws {
        let server = try ScriptedServer(isIPv6: true) { peer in
            let host = peer.readRequest()?.split(separator: "\r\n").first { $0.hasPrefix("Host: ") } ?? ""
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
        }
        let client = try makeClient(of: server.port, url: "http://[::1]:\(server.port)")
        let response = try await client.send(HTTPRequest(target: "/"), timeout: ample)
        #expect(response.text == "Host: [::1]:\(server.port)")
    }

    @Test("An address that refuses is followed by the next one")
    func secondAddress() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        // Nothing listens on this address of the loopback net: the server is bound to 127.0.0.1 alone.
        let client = try makeClient(url: "http://two.test:\(server.port)") {
            _,
            port throws(SocketFault) in
            try SocketAddress.lookUp("127.0.0.2", port: port) + SocketAddress.lookUp("127.0.0.1", port: port)
        }
        #expect(try await client.send(HTTPRequest(target: "/"), timeout: ample).status == .noContent)
    }
}
