// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPSockets
import WPTestKit
import WPGzip

@testable import WPHTTP

@Suite("Errors of the client", .timeLimit(.minutes(1)))
struct ClientFaultTests {
    private static let get = HTTPRequest(target: "/path?secret=1")

    @Test func reportsARefusedConnection() async throws {
        // A port bound by a socket that does not listen.
        let reserved = try ReservedPort()
        let client = try makeClient(of: reserved.port)
        let error = await expectFailure(.connect) { try await client.send(Self.get, timeout: ample) }
        let message = try #require(error?.message)
        #expect(message.contains("GET http://127.0.0.1:\(reserved.port)/path failed: "))
        #expect(message.contains("127.0.0.1: Connection refused"))
        #expect(!message.contains("secret"))
    }

    @Test func reportsAnUnknownHost() async throws {
        let client = try makeClient(url: "http://no-such-host.invalid") { host, _ throws(SocketFault) in
            throw SocketFault(.resolve, "the name \(host) has no address")
        }
        let error = await expectFailure(.resolve) { try await client.send(Self.get, timeout: ample) }
        #expect(error?.message.contains("no-such-host.invalid") == true)
    }

    @Test(
        arguments: [
            "",
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
        ]
    )
    func reportsAnIncompleteResponse(_ bytes: String) async {
        await expectFailure(.closed) { try await answer(bytes) }
    }

    @Test func aResetDoesNotEndABody() async throws {
        let sent = ClientLatch()
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\n\r\nhalf")
            sent.waitInThread()
            peer.reset()
        }
        let client = try makeClient(of: server.port)
        sent.open()
        await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
    }

    @Test(
        arguments: [
            "garbage\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n",
            "HTTP/2 200 OK\r\n\r\n",
            "HTTP/1.1 abc OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100),
        ]
    )
    func rejectsMalformedAndAmbiguousResponses(_ bytes: String) async {
        await expectFailure(.malformed) { try await answer(bytes) }
    }

    @Test func reportsATLSResponseToPlainHTTP() async {
        let alert: [UInt8] = [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]
        let error = await expectFailure(.malformed) { try await answer(alert) }
        #expect(error?.message.contains("https") == true)
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nA: \(String(repeating: "x", count: 5000))\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 2000))\r\n",
            "HTTP/1.1 200 \(String(repeating: "x", count: 20_000))",
        ]
    )
    func limitsTheHeader(_ bytes: String) async {
        await expectFailure(.headersTooLarge) { try await answer(bytes) { $0.maxHeaderBytes = 4096 } }
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 200 OK\r\n\r\nhello world",
        ]
    )
    func limitsTheBody(_ bytes: String) async {
        await expectFailure(.bodyTooLarge) { try await answer(bytes) { $0.maxBodyBytes = 10 } }
    }

    @Test func acceptsABodyOfExactlyTheLimit() async throws {
        let response = try await answer("HTTP/1.1 200 OK\r\n\r\n0123456789") { $0.maxBodyBytes = 10 }
        #expect(response.text == "0123456789")
    }

    @Test func limitsTheDecompressedBody() async throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 4 << 20))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
        #expect(bomb.count < 64 << 10)
        await expectFailure(.bodyTooLarge) {
            try await answer(Array(head.utf8) + bomb) { $0.maxBodyBytes = 64 << 10 }
        }
    }

    @Test(
        arguments: [
            HTTPRequest(target: "/", headers: ["A": "b\r\nInjected: yes"]),
            HTTPRequest(target: "/", headers: ["A": "b\nc"]),
            HTTPRequest(target: "/", headers: ["A": "b\0c"]),
            HTTPRequest(target: "/", headers: ["A b": "c"]),
            HTTPRequest(target: "/", headers: ["": "c"]),
            HTTPRequest(target: "/", headers: ["host": "other"]),
            HTTPRequest(target: "/", headers: ["Content-Length": "1"]),
            HTTPRequest(target: "/", headers: ["Transfer-Encoding": "chunked"]),
            HTTPRequest(target: ""),
            HTTPRequest(target: "path"),
            HTTPRequest(target: "http://other/"),
            HTTPRequest(target: "/a b"),
            HTTPRequest(target: "/a\r\nX: y"),
            HTTPRequest(target: "/é"),
            HTTPRequest(method: HTTPMethod(rawValue: "GET / HTTP/1.1\r\nX:"), target: "/"),
            HTTPRequest(method: .connect, target: "/"),
        ]
    )
    func rejectsAnInvalidRequest(_ request: HTTPRequest) async throws {
        let server = try ScriptedServer { $0.waitForEnd() }
        let client = try makeClient(of: server.port)
        await expectFailure(.invalidRequest) { try await client.send(request, timeout: ample) }
        #expect(server.accepted == 0)
    }

    @Test func timesOutOnASilentServer() async throws {
        let server = try ScriptedServer { $0.waitForEnd() }
        let client = try makeClient(of: server.port)
        let error = await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(200)) }
        #expect(error?.message.contains("while waiting for the response (timeout: 0.2 seconds)") == true)
        try await server.waitForEnds(1)
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nA: ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFF\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        ]
    )
    func timesOutOnADrippingServer(_ head: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(head)
            peer.drip(String(repeating: "x", count: 10_000), every: 5_000)
        }
        let client = try makeClient(of: server.port)
        await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(200)) }
        // The complete body would have taken 50 seconds; the server's script ends early because the client closed.
        try await server.waitForEnds(1)
    }

    @Test func timesOutOnAStalledUpload() async throws {
        let gate = ClientLatch()
        let server = try ScriptedServer { _ in gate.waitInThread() }
        let client = try makeClient(of: server.port)
        let request = HTTPRequest(method: .post, target: "/", body: [UInt8](repeating: 0, count: 32 << 20))
        let error = await expectFailure(.timeout) { try await client.send(request, timeout: .milliseconds(200)) }
        #expect(error?.message.contains("while the request was sent") == true)
        gate.open()
    }

    @Test func timesOutOnAHangingLookupAndDoesNotRepeatIt() async throws {
        let gate = ClientLatch()
        let count = Mutex(0)
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let client = try makeClient(url: "http://slow.test:\(server.port)") { _, port throws(SocketFault) in
            count.withLock { $0 += 1 }
            gate.waitInThread()
            return try SocketAddress.lookUp("127.0.0.1", port: port)
        }
        for _ in 0..<3 {
            let error = await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(50)) }
            #expect(error?.message.contains("while the name slow.test was looked up") == true)
        }
        #expect(count.withLock { $0 } == 1)
        gate.open()
        #expect(try await client.send(Self.get, timeout: ample).status == .noContent)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func treatsATimeoutOfZeroOrLessAsExpired(_ timeout: Duration) async throws {
        let client = try makeClient(of: 1)
        await expectFailure(.timeout) { try await client.send(Self.get, timeout: timeout) }
    }

    @Test func acceptsATimeoutOfAnyLength() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: .seconds(Int64.max)).status == .noContent)
    }
}
