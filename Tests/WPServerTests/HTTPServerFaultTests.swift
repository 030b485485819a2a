// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Slow and failing peers, limits, and failing handlers")
struct HTTPServerFaultTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "a detail for the log alone"
    }

    @Test func answers408ToAnIncompleteRequest() async throws {
        let clock = TestClock()
        try await withServer(testConfiguration { $0.readTimeout = .seconds(30) }, echo, clock: clock) { running in
            for start in ["GET / HTTP/1.1\r\nHost: ", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab"] {
                let (reply, isClosed) = try await running.talk { connection in
                    try connection.send(start)
                    running.settleBlocking()
                    clock.advance(by: .seconds(29))
                    running.settleBlocking()
                    #expect(!connection.isReadable(within: 0))
                    connection.waitWhileAdvancing(.seconds(10), of: clock, in: running)
                    return (try connection.readReply(), connection.isClosedByPeer())
                }
                #expect(reply.status == 408)
                #expect(isClosed)
            }
            #expect(running.server.statistics.timeouts == 2)
        }
    }

    @Test(arguments: [
        (10, 120, "GET / HTTP/1.1\r\nHost: "),
        (120, 10, "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab"),
    ])
    func timesHeadAndBodySeparately(head: Int, body: Int, start: String) async throws {
        let clock = TestClock()
        let configuration = testConfiguration {
            $0.headerTimeout = .seconds(head)
            $0.bodyTimeout = .seconds(body)
        }
        try await withServer(configuration, echo, clock: clock) { running in
            let (reply, isClosed) = try await running.talk { connection in
                // In one write, so that a complete head arrives at once.
                try connection.send(start)
                running.settleBlocking()
                // Nine steps together are shorter than the longer of the two timeouts.
                connection.waitWhileAdvancing(.seconds(11), of: clock, in: running)
                return (try connection.readReply(), connection.isClosedByPeer())
            }
            #expect(reply.status == 408)
            #expect(isClosed)
        }
    }

    @Test func limitsBufferedPipelinedRequests() async throws {
        let requests = 100
        let padding = String(repeating: "x", count: 400)
        let configuration = testConfiguration { $0.maxPipelinedBytes = 1024 }
        try await withServer(configuration, echo) { running in
            let targets = try await running.talk { connection in
                try connection.send((0..<requests).map { .get("/\($0)", "X: \(padding)") }.joined())
                return try (0..<requests).map { _ in try connection.readReply().text }
            }
            #expect(targets == (0..<requests).map { "GET /\($0) " })
        }
    }

    @Test func closesADrippingRequest() async throws {
        let clock = TestClock()
        try await withServer(testConfiguration { $0.readTimeout = .seconds(30) }, echo, clock: clock) { running in
            let isAnswered = try await running.talk { connection in
                for byte in "GET /\(String(repeating: "a", count: 5_000))".utf8 {
                    if connection.isReadable(within: 0) { return try connection.readReply().status == 408 }
                    try connection.send([byte])
                    clock.advance(by: .seconds(1))
                    running.settleBlocking()
                }
                return false
            }
            #expect(isAnswered)
        }
    }

    @Test func closesAConnectionWithoutARequest() async throws {
        let clock = TestClock()
        try await withServer(testConfiguration { $0.readTimeout = .seconds(30) }, echo, clock: clock) { running in
            let isClosed = try await running.talk { connection in
                #expect(running.waitFor { $0.openConnections == 1 })
                connection.waitWhileAdvancing(.seconds(30), of: clock, in: running)
                return connection.isClosedByPeer()
            }
            #expect(isClosed)
        }
    }

    @Test func closesAnIdleConnection() async throws {
        let clock = TestClock()
        try await withServer(testConfiguration { $0.idleTimeout = .seconds(60) }, echo, clock: clock) { running in
            let (status, isClosed) = try await running.talk { connection in
                try connection.send(.get("/"))
                let status = try connection.readReply().status
                running.settleBlocking()
                connection.waitWhileAdvancing(.seconds(60), of: clock, in: running)
                return (status, connection.isClosedByPeer())
            }
            #expect(status == 200)
            #expect(isClosed)
            #expect(running.server.statistics.timeouts == 0)
        }
    }

    @Test func countsTimeFromTheRequestNotFromTheConnection() async throws {
        let clock = TestClock()
        let configuration = testConfiguration {
            $0.readTimeout = .seconds(10)
            $0.idleTimeout = .seconds(100)
        }
        try await withServer(configuration, echo, clock: clock) { running in
            let statuses = try await running.talk { connection in
                try connection.send(.get("/1"))
                let first = try connection.readReply().status
                running.settleBlocking()
                // Longer than the timeout of a request.
                clock.advance(by: .seconds(50))
                running.settleBlocking()
                #expect(!connection.isReadable(within: 0))
                try connection.send(.get("/2"))
                return [first, try connection.readReply().status]
            }
            #expect(statuses == [200, 200])
        }
    }

    @Test(arguments: [false, true])
    func closesAConnectionWhosePeerDoesNotRead(isStream: Bool) async throws {
        let chunk = [UInt8](repeating: 1, count: 1 << 20)
        let handler = ClosureHTTPHandler { _ in
            guard isStream else { return HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 32 << 20))) }
            return HTTPResponse(body: .stream { writer in while true { try await writer.write(chunk) } })
        }
        let clock = TestClock()
        try await withServer(testConfiguration { $0.writeTimeout = .seconds(30) }, handler, clock: clock) { running in
            let isWhole = try await onOwnThread { [port = running.port] in
                let connection = try RawConnection(port: port, receiveBuffer: 4096)
                try connection.send(.get("/"))
                // Long enough for the server to give up; then the rest of its socket buffer can be read.
                _ = running.waitFor { statistics in
                    clock.advance(by: .seconds(1))
                    return statistics.timeouts == 1
                }
                return (try? connection.readReply().isComplete) ?? false
            }
            #expect(!isWhole)
            #expect(running.server.statistics.timeouts == 1)
        }
    }

    @Test func answers503AboveTheConnectionLimit() async throws {
        let log = CapturingLogHandler()
        let configuration = testConfiguration {
            $0.maxConnections = 2
            $0.evictableAfter = .seconds(600)
        }
        try await withServer(configuration, echo, logger: log.logger) { running in
            let port = running.port
            let outcome = try await onOwnThread {
                var inside = try (0..<2).map { _ in try RawConnection(port: port) }
                for connection in inside {
                    try connection.send(.get("/a"))
                    _ = try connection.readReply()
                }
                let outside = try RawConnection(port: port)
                try outside.send(.get("/b"))
                let rejection = try outside.readReply()
                let isClosed = outside.isClosedByPeer()
                let still = try inside.map { connection in
                    try connection.send(.get("/c"))
                    return try connection.readReply().status
                }
                inside.removeLast()
                // The slot is free shortly after its connection is closed.
                _ = running.waitFor { $0.openConnections == 1 }
                let next = try RawConnection(port: port)
                try next.send(.get("/d"))
                return (rejection, isClosed, still, try next.readReply().status)
            }
            #expect(outcome.0.status == 503)
            #expect(outcome.0["retry-after"] == "1")
            #expect(outcome.1)
            #expect(outcome.2 == [200, 200])
            #expect(outcome.3 == 200)
            #expect(running.server.statistics.refusedConnections == 1)
        }
        #expect(log.messages(.warn) == ["A connection was rejected because there are too many"])
    }

    @Test func answers500WithoutDetailsWhenAHandlerThrows() async throws {
        let log = CapturingLogHandler()
        let handler = ClosureHTTPHandler { request in
            if request.path == "/fail" { throw Failure() }
            return .text("fine")
        }
        try await withServer(testConfiguration(), handler, logger: log.logger) { running in
            let replies = try await running.talk { connection in
                try connection.send(.get("/fail?token=secret") + .get("/"))
                return [try connection.readReply(), try connection.readReply()]
            }
            #expect(replies.map(\.status) == [500, 200])
            #expect(replies[0]["content-type"] == "text/plain; charset=utf-8")
            #expect(replies[0].text == "500 Internal Server Error\n")
            #expect(running.server.statistics.handlerFailures == 1)
        }
        #expect(log.messages(.error) == ["A request's handler failed"])
        #expect(log.mentions("a detail for the log alone"))
        #expect(!log.mentions("secret"))
    }

    @Test(arguments: [
        HTTPResponse(headers: ["X": "a\r\nSet-Cookie: b"]), HTTPResponse(headers: ["X Y": "a"]),
        HTTPResponse(status: HTTPStatus(code: 99)), HTTPResponse(status: HTTPStatus(code: 1000)),
        HTTPResponse(status: .continue), HTTPResponse(status: HTTPStatus(code: 200, reason: "OK\r\nX: y")),
    ])
    func answers500ToAnInvalidResponse(response: HTTPResponse) async throws {
        try await withServer(testConfiguration(), ClosureHTTPHandler { _ in response }) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.status == 500)
            #expect(reply["set-cookie"] == nil && reply["x"] == nil)
        }
    }

    @Test(arguments: [false, true])
    func cancelsTheHandlerOfADisconnectedPeer(isReset: Bool) async throws {
        let entered = Gate()
        let cancelled = Gate()
        let handler = ClosureHTTPHandler { _ in
            entered.open()
            defer { cancelled.open() }
            try await suspendUntilCancelled()
            return .text("too late")
        }
        let log = CapturingLogHandler()
        let clock = TestClock()
        try await withServer(testConfiguration(), handler, logger: log.logger, clock: clock) { running in
            try await running.talk { connection in
                try connection.send(.get("/"))
                // Closed on return, before any response.
                #expect(running.waitBlocking { entered.isOpen || connection.isReadable(within: 0) })
                if isReset { connection.resetOnClose() }
            }
            #expect(await running.advanceTime(clock) { cancelled.isOpen })
            #expect(await running.eventually { $0.openConnections == 0 })
        }
        #expect(log.messages(.warn).isEmpty)
    }

    @Test func answersAHalfClosedPeer() async throws {
        let hasEnded = Gate()
        let handler = ClosureHTTPHandler { _ in
            await hasEnded.wait()
            return .text("answered")
        }
        try await withServer(testConfiguration(), handler) { running in
            let text = try await running.talk { connection in
                try connection.send(.get("/"))
                connection.endSending()
                running.settleBlocking()
                hasEnded.open()
                return try connection.readReply().text
            }
            #expect(text == "answered")
        }
    }

    @Test func survivesPeersThatDisconnectMidRequest() async throws {
        let handler = ClosureHTTPHandler { _ in HTTPResponse(body: .bytes([UInt8](repeating: 7, count: 4 << 20))) }
        try await withServer(testConfiguration(), handler) { running in
            let port = running.port
            try await onOwnThread {
                for round in 0..<50 {
                    let connection = try RawConnection(port: port)
                    try connection.send(round % 2 == 0 ? .get("/") : "GET / HT")
                    if round % 4 == 0 { _ = try connection.receive() }
                }
            }
            #expect(await running.eventually { $0.openConnections == 0 })
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.body.count == 4 << 20)
        }
    }

    @Test func servesOthersBesideBusyPeers() async throws {
        let chunk = [UInt8](repeating: 1, count: 1000)
        let stop = Gate()
        let handler = ClosureHTTPHandler { request in
            guard request.path == "/endless" else { return .text("served") }
            return HTTPResponse(body: .stream { writer in while !stop.isOpen { try await writer.write(chunk) } })
        }
        try await withServer(testConfiguration { $0.maxRequestsPerConnection = .max }, handler) { running in
            async let greedy = running.talk { connection in
                try connection.send(.get("/endless"))
                return try connection.readReply().isComplete
            }
            async let pipelining = running.talk { connection in
                let request = String.get("/many")
                var answered = 0
                while !stop.isOpen {
                    try connection.send(String(repeating: request, count: 100))
                    for _ in 0..<100 where try connection.readReply().status == 200 { answered += 1 }
                }
                return answered
            }
            for _ in 0..<20 {
                let reply = try await running.reply(to: .get("/"))
                #expect(reply.text == "served")
            }
            stop.open()
            let isComplete = try await greedy
            let answered = try await pipelining
            #expect(isComplete)
            #expect(answered % 100 == 0)
        }
    }

    @Test func limitsLogLinesAboutRejections() async throws {
        let log = CapturingLogHandler()
        try await withServer(testConfiguration(), echo, logger: log.logger) { running in
            for _ in 0..<30 {
                let reply = try await running.reply(to: "nonsense\r\n")
                #expect(reply.status == 400)
            }
            #expect(running.server.statistics.malformedRequests == 30)
        }
        #expect(log.records.count { $0.message == "A request was rejected" } == 10)
    }

    /// Runs in a separate process, because it exhausts the descriptors.
    @Test func recoversFromDescriptorExhaustion() async {
        await #expect(processExitsWith: .success) {
            let log = CapturingLogHandler()
            let configuration = testConfiguration { $0.evictableAfter = .seconds(600) }
            try await withServer(configuration, echo, logger: log.logger) { running in
                let port = running.port
                let status = try await onOwnThread {
                    let first = try RawConnection(port: port)
                    try first.send(.get("/"))
                    _ = try first.readReply()
                    limitDescriptors(to: 64)
                    var spare: [Int32] = []
                    while spare.count < 64 {
                        let descriptor = dup(first.descriptor)
                        guard descriptor >= 0 else { break }
                        spare.append(descriptor)
                    }
                    // One descriptor for the client's end, none for the server's.
                    guard let last = spare.popLast() else { throw ClientFailure("no descriptor at all") }
                    close(last)
                    let waiting = try RawConnection(port: port)
                    try waiting.send(.get("/"))
                    running.settleBlocking()
                    #expect(!waiting.isReadable(within: 0), "accepted without descriptors")
                    for descriptor in spare { close(descriptor) }
                    return try waiting.readReply().status
                }
                #expect(status == 200)
            }
            #expect(log.messages(.warn) == ["Connections cannot be accepted"])
        }
    }
}

extension HTTPServerFaultTests {
    /// Runs in a separate process, because it exhausts the descriptors.
    @Test func closesAnIdleConnectionOnDescriptorExhaustion() async {
        await #expect(processExitsWith: .success) {
            let configuration = testConfiguration {
                $0.evictableAfter = .zero
                $0.openFileLimit = { nil }
            }
            try await withServer(configuration, echo) { running in
                let port = running.port
                let status = try await onOwnThread {
                    let idle = try RawConnection(port: port)
                    try idle.send(.get("/"))
                    _ = try idle.readReply()
                    running.settleBlocking()
                    limitDescriptors(to: 64)
                    var spare: [Int32] = []
                    while spare.count < 64 {
                        let descriptor = dup(idle.descriptor)
                        guard descriptor >= 0 else { break }
                        spare.append(descriptor)
                    }
                    defer { for descriptor in spare { close(descriptor) } }
                    // One descriptor for the client's end; the server's end reuses that of the idle connection.
                    guard let last = spare.popLast() else { throw ClientFailure("no descriptor at all") }
                    close(last)
                    let next = try RawConnection(port: port)
                    try next.send(.get("/"))
                    return try next.readReply().status
                }
                #expect(status == 200)
                #expect(running.server.statistics.displacedConnections == 1)
            }
        }
    }

    /// Runs in a separate process, because it uses most descriptors.
    @Test func connectionsLeaveDescriptorsForFiles() async {
        await #expect(processExitsWith: .success) {
            limitDescriptors(to: 256)
            let log = CapturingLogHandler()
            try await withServer(testConfiguration(), echo, logger: log.logger) { running in
                let port = running.port
                let status = try await onOwnThread {
                    var spare: [Int32] = []
                    while spare.last.map({ $0 < 256 - 32 }) ?? true { spare.append(dup(0)) }
                    let rejected = try RawConnection(port: port)
                    try rejected.send(.get("/"))
                    #expect(throws: (any Error).self) { try rejected.readReply() }
                    for descriptor in spare { close(descriptor) }
                    let served = try RawConnection(port: port)
                    try served.send(.get("/"))
                    return try served.readReply().status
                }
                #expect(status == 200)
            }
            #expect(log.messages(.warn).contains("Connections cannot be accepted"))
        }
    }

    @Test func limitsConnectionsByTheDescriptorLimit() async throws {
        let log = CapturingLogHandler()
        let configuration = testConfiguration {
            $0.evictableAfter = .seconds(600)
            $0.descriptorReserve = 62
            $0.openFileLimit = { 64 }
        }
        try await withServer(configuration, echo, logger: log.logger) { running in
            let port = running.port
            let statuses = try await onOwnThread {
                let connections = try (0..<3).map { _ in try RawConnection(port: port) }
                return try connections.map { connection in
                    try connection.send(.get("/"))
                    return try connection.readReply().status
                }
            }
            #expect(statuses == [200, 200, 503])
        }
        #expect(log.mentions("because the limit on open files is too low"))
    }
}

private func limitDescriptors(to count: rlim_t) {
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = count
    setrlimit(resource, &limit)
}
