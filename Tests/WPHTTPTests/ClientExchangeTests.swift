// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPSockets
import WPTestKit
import WPGzip

@testable import WPHTTP

@Suite("Requests and responses of the client", .timeLimit(.minutes(1)))
struct ClientExchangeTests {
    @Test func writesTheRequestWithItsOwnFieldsFirst() async throws {
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

    @Test func sendsContentLengthZeroAndTheCallersFields() throws {
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
    func readsBodiesByLengthChunksOrConnectionEnd(_ bytes: String) async throws {
        let response = try await answer(bytes)
        #expect(response.status == .ok)
        #expect(response.text == "hello")
        #expect(response.headers["Link"] == nil)
    }

    @Test(
        arguments: [
            ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Encoding: gzip\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n"),
        ]
    )
    func doesNotWaitForABodyThatCannotExist(method: String, bytes: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(bytes)
            peer.waitForEnd()
        }
        let request = HTTPRequest(method: HTTPMethod(rawValue: method), target: "/")
        let response = try await makeClient(of: server.port).send(request, timeout: ample)
        #expect(response.bytes.isEmpty)
    }

    @Test func acceptsSixteenInterimResponses() async throws {
        func interim(_ count: Int) -> String {
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: count)
                + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        }
        #expect(try await answer(interim(16)).text == "hello")
        await expectFailure(.malformed) { try await answer(interim(17)) }
        await expectFailure(.malformed) { try await answer("HTTP/1.1 101 Switching Protocols\r\n\r\n" + interim(0)) }
    }

    @Test func readsAResponseByteByByte() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n5\r\nhello\r\n0\r\n\r\n", every: 0)
            peer.waitForEnd()
        }
        let response = try await makeClient(of: server.port).send(HTTPRequest(target: "/"), timeout: ample)
        #expect(response.text == "hello")
        #expect(response.headers["a"] == "b")
    }

    @Test func returnsRedirects() async throws {
        let response = try await answer(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(response.status == .init(code: 302))
        #expect(response.headers["Location"] == "http://127.0.0.1:1/")
    }

    @Test func decompressesGzipAndAdjustsTheFields() async throws {
        let body = try Gzip.compress(Array("hello".utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: \(body.count)\r\n\r\n"
        let response = try await answer(Array(head.utf8) + body)
        #expect(response.text == "hello")
        #expect(response.headers["Content-Encoding"] == nil)
        #expect(response.headers["Content-Length"] == nil)
    }

    @Test func decompressesZlibAndRawDeflate() async throws {
        // "hello" compressed by zlib, and the same without header and checksum.
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]
        for body in [zlib, Array(zlib[2..<9])] {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(body.count)\r\n\r\n"
            let response = try await answer(Array(head.utf8) + body)
            #expect(response.text == "hello")
            #expect(response.headers["Content-Encoding"] == nil)
        }
    }

    @Test(
        arguments: [
            ("gzip", false), ("br", true), ("gzip, gzip", true),
        ]
    )
    func returnsABodyUnchangedUnlessItRequestedCompression(coding: String, acceptsCompression: Bool) async throws {
        let response = try await answer("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\nxy")
        {
            $0.acceptsCompression = acceptsCompression
        }
        #expect(response.text == "xy")
        #expect(response.headers["Content-Encoding"] == coding)
    }

    @Test func transfersLargeBodiesInBothDirections() async throws {
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

    @Test func readsAResponseSentBeforeTheRequestIsComplete() async throws {
        let server = try ScriptedServer { peer in
            peer.readSome()
            peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            peer.reset()
        }
        let request = HTTPRequest(method: .post, target: "/", body: [UInt8](repeating: 0, count: 8 << 20))
        // Whether the reset overtakes the response depends on the network; a hang or another failure is an error.
        do {
            let response = try await makeClient(of: server.port).send(request, timeout: ample)
            #expect(response.status == .contentTooLarge)
        } catch let error as HTTPClientError {
            #expect(error.code == .closed)
        }
    }

    @Test(.enabled("the loopback interface has no IPv6 address") { hasIPv6() })
    func connectsOverIPv6() async throws {
        let server = try ScriptedServer(isIPv6: true) { peer in
            let host = peer.readRequest()?.split(separator: "\r\n").first { $0.hasPrefix("Host: ") } ?? ""
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
        }
        let client = try makeClient(of: server.port, url: "http://[::1]:\(server.port)")
        let response = try await client.send(HTTPRequest(target: "/"), timeout: ample)
        #expect(response.text == "Host: [::1]:\(server.port)")
    }

    @Test func triesTheNextAddressAfterARefusal() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        // Nothing listens on this loopback address: the server is only bound to 127.0.0.1.
        let client = try makeClient(url: "http://two.test:\(server.port)") {
            _,
            port throws(SocketFault) in
            try SocketAddress.lookUp("127.0.0.2", port: port) + SocketAddress.lookUp("127.0.0.1", port: port)
        }
        #expect(try await client.send(HTTPRequest(target: "/"), timeout: ample).status == .noContent)
    }
}
