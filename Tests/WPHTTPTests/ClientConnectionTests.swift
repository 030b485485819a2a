// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPSockets
import WPTestKit

@testable import WPHTTP

@Suite("Reuse, retries and cancellation of client connections", .timeLimit(.minutes(1)))
struct ClientConnectionTests {
    private static let get = HTTPRequest(target: "/")
    private static let post = HTTPRequest(method: .post, target: "/", body: [1])
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test func servesManyRequestsOverOneConnection() async throws {
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        }
        let client = try makeClient(of: server.port)
        for _ in 0..<20 {
            #expect(try await client.send(Self.get, timeout: ample).text == "ok")
        }
        #expect(server.accepted == 1)
        client.close()
        try await server.waitForEnds(1)
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n",
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        ]
    )
    func closesTheConnectionIfTheResponseRequiresIt(_ response: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(response)
            // The server would continue, so the client closes.
            peer.waitForEnd()
        }
        let client = try makeClient(of: server.port)
        for _ in 0..<2 { #expect(try await client.send(Self.get, timeout: ample).status == .ok) }
        #expect(server.accepted == 2)
    }

    @Test func reusesAnHTTP10ConnectionWithKeepAlive() async throws {
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil {
                peer.send("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n")
            }
        }
        let client = try makeClient(of: server.port)
        for _ in 0..<2 { #expect(try await client.send(Self.get, timeout: ample).status == .ok) }
        #expect(server.accepted == 1)
    }

    @Test func doesNotReuseAConnectionWithoutAnIdleTimeout() async throws {
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { peer.send(Self.empty) }
        }
        let client = try makeClient(of: server.port) { $0.maxIdleTime = .zero }
        for _ in 0..<3 { #expect(try await client.send(Self.get, timeout: ample).status == .ok) }
        #expect(server.accepted == 3)
    }

    @Test func detectsAClosedConnectionBeforeSendingARequest() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(Self.empty)
        }
        let client = try makeClient(of: server.port)
        for count in 1...3 {
            #expect(try await client.send(Self.post, timeout: ample).status == .ok)
            try await server.waitForEnds(count)
        }
        #expect(server.accepted == 3)
    }

    @Test func doesNotTakeUnsolicitedBytesForTheNextResponse() async throws {
        let isSent = ClientLatch()
        let isFirst = Mutex(true)
        let server = try ScriptedServer { peer in
            let first = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            _ = peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(first ? "one " : "two ")")
            guard first else { return }
            // Sent separately: otherwise it would be detected together with the response.
            peer.drip("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", every: 1000)
            isSent.open()
            peer.waitForEnd()
        }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: ample).text == "one ")
        await isSent.opened()
        #expect(try await client.send(Self.get, timeout: ample).text == "two ")
        #expect(server.accepted == 2)
    }

    @Test(arguments: [true, false])
    func retriesOnAClosingConnectionOnlyIfSafe(isIdempotent: Bool) async throws {
        // Closes after the second request.
        let server = try CountingServer { $0 == 2 ? nil : Self.empty }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        if isIdempotent {
            #expect(try await client.send(Self.get, timeout: ample).status == .ok)
            #expect(server.requests == 3)
        } else {
            await expectFailure(.closed) { try await client.send(Self.post, timeout: ample) }
            #expect(server.requests == 2)
        }
    }

    @Test func retriesOnceAndNeverOnANewConnection() async throws {
        let server = try CountingServer { $0 > 1 ? nil : Self.empty }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
        #expect(server.requests == 3)
    }

    @Test func doesNotRetryAfterTheResponseStarted() async throws {
        let server = try CountingServer(closingAfter: 2) { $0 == 1 ? Self.empty : "HTTP/1.1 200 OK\r\nContent-Le" }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
        #expect(server.requests == 2)
    }

    @Test func aFailureDoesNotAffectTheNextRequest() async throws {
        let nonsense = "HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n"
        let server = try CountingServer { $0 == 1 ? nonsense : Self.empty }
        let client = try makeClient(of: server.port)
        await expectFailure(.malformed) { try await client.send(Self.get, timeout: ample) }
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        #expect(server.accepted == 2)
    }

    @Test func runsConcurrentRequestsSequentially() async throws {
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                let target = request.split(separator: " ")[1]
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)")
            }
        }
        let client = try makeClient(of: server.port)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let target = "/\(index)"
                    return try await client.send(HTTPRequest(target: target), timeout: ample).text == target
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
        #expect(server.accepted == 1)
    }

    @Test func cancellationEndsTheRequestAndTheConnection() async throws {
        let hasArrived = ClientLatch()
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { hasArrived.open() }
        }
        let client = try makeClient(of: server.port)
        let task = Task { try await client.send(Self.get, timeout: .seconds(600)) }
        await hasArrived.opened()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.waitForEnds(1)
    }

    @Test func cancellationOnAReusedConnectionLeavesTheClientUsable() async throws {
        let hasArrived = ClientLatch()
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                if request.hasPrefix("GET /hang") { hasArrived.open() } else { peer.send(Self.empty) }
            }
        }
        let client = try makeClient(of: server.port)
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        let task = Task { try await client.send(HTTPRequest(target: "/hang"), timeout: .seconds(600)) }
        await hasArrived.opened()
        #expect(server.accepted == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await client.send(Self.get, timeout: ample).status == .ok)
        #expect(server.accepted == 2)
    }

    @Test func sendsNothingInACancelledTask() async throws {
        let server = try ScriptedServer { $0.waitForEnd() }
        let client = try makeClient(of: server.port)
        let gate = ClientLatch()
        let task = Task {
            await gate.opened()
            return try await client.send(Self.get, timeout: ample)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.accepted == 0)
    }

    @Test func cancellationEndsAHangingLookup() async throws {
        let hasBegun = ClientLatch()
        let gate = ClientLatch()
        let client = try makeClient(url: "http://slow.test") { _, _ throws(SocketFault) in
            hasBegun.open()
            gate.waitInThread()
            throw SocketFault(.resolve, "no address")
        }
        let task = Task { try await client.send(Self.get, timeout: .seconds(600)) }
        await hasBegun.opened()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
    }

    @Test func aQueuedRequestHasItsOwnDeadlineAndCancellation() async throws {
        let hasArrived = ClientLatch()
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { hasArrived.open() }
        }
        let client = try makeClient(of: server.port)
        let first = Task { try await client.send(Self.get, timeout: .seconds(600)) }
        await hasArrived.opened()
        let second = Task { try await client.send(Self.get, timeout: .seconds(600)) }
        let error = await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(50)) }
        #expect(error?.message.contains("while earlier requests were served") == true)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(server.accepted == 1)
    }

    @Test func closingFailsPendingAndLaterRequests() async throws {
        let hasArrived = ClientLatch()
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { hasArrived.open() }
        }
        let client = try makeClient(of: server.port)
        let waiting = Task { try await client.send(Self.get, timeout: .seconds(600)) }
        await hasArrived.opened()
        client.close()
        await expectFailure(.closed) { try await waiting.value }
        let error = await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
        #expect(error?.message.contains("the client was closed") == true)
        try await server.waitForEnds(1)
    }

    @Test func closesTheConnectionAfterAnyFailure() async throws {
        let answers = [
            "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", "HTTP/1.1 101 No\r\n\r\n",
        ]
        let turn = Mutex(0)
        let server = try ScriptedServer { peer in
            let index = turn.withLock { turn in
                turn += 1
                return turn
            }
            _ = peer.readRequest()
            peer.send(answers[index % answers.count])
            // Ends exactly when the client has closed its descriptor.
            peer.waitForEnd()
        }
        let client = try makeClient(of: server.port) { $0.maxBodyBytes = 1000 }
        for _ in 0..<100 {
            await #expect(throws: HTTPClientError.self) { try await client.send(Self.get, timeout: ample) }
        }
        try await server.waitForEnds(100)
        #expect(server.accepted == 100)
    }

    @Test func aFailedConnectLeaksNoDescriptor() async throws {
        let reserved = try ReservedPort()
        let client = try makeClient(of: reserved.port)
        let before = openDescriptors()
        for _ in 0..<600 { await expectFailure(.connect) { try await client.send(Self.get, timeout: ample) } }
        // Other suites open and close descriptors concurrently, but fewer.
        #expect(openDescriptors() - before < 300)
    }

    @Test func aReleasedClientClosesItsConnection() async throws {
        let server = try ScriptedServer { peer in
            while peer.readRequest() != nil { peer.send(Self.empty) }
        }
        #expect(try await makeClient(of: server.port).send(Self.get, timeout: ample).status == .ok)
        try await server.waitForEnds(1)
    }
}
