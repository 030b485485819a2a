// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Startup and shutdown of a server")
struct HTTPServerLifecycleTests {
    @Test func acceptsConnectionsAfterBind() async throws {
        let server = HTTPServer(testConfiguration(), handler: echo)
        #expect(server.port == nil)
        try server.bind()
        let port = try #require(server.port)
        #expect(port > 0)
        try server.bind()
        #expect(server.port == port)
        // Connected and sent before the server runs.
        async let status = onOwnThread {
            let connection = try RawConnection(port: port)
            try connection.send(.get("/"))
            return try connection.readReply().status
        }
        let run = Task { try await server.run() }
        let received = try await status
        #expect(received == 200)
        #expect(server.port == port)
        run.cancel()
        try await run.value
        #expect(server.port == nil)
    }

    @Test func releasesThePortWithoutRunning() throws {
        var server: HTTPServer? = HTTPServer(testConfiguration(), handler: echo)
        try server?.bind()
        let port = try #require(server?.port)
        server = nil
        try HTTPServer(testConfiguration { $0.port = port }, handler: echo).bind()
    }

    @Test func appliesNewLimitsWhileRunning() async throws {
        try await withServer(testConfiguration { $0.maxRequestsPerConnection = 5 }, echo) { running in
            let server = running.server
            try await running.talk { connection in
                try connection.send(.get("/a"))
                #expect(try connection.readReply()["connection"] == nil)
                // The address does not change; the limits apply to the existing connection.
                try server.update(
                    testConfiguration {
                        $0.host = "192.0.2.1"
                        $0.maxRequestsPerConnection = 1
                    }
                )
                try connection.send(.get("/b"))
                #expect(try connection.readReply()["connection"] == "close")
            }
            #expect(try await running.reply(to: .get("/c")).status == 200)
            #expect(throws: HTTPServerError.self) { try server.update(testConfiguration { $0.maxConnections = 0 }) }
        }
    }

    @Test func appliesANewWriteTimeoutToOpenConnections() async throws {
        let clock = TestClock()
        let handler = ClosureHTTPHandler { request in
            request.path == "/small"
                ? .text("small") : HTTPResponse(body: .bytes([UInt8](repeating: 1, count: 32 << 20)))
        }
        let configuration = testConfiguration { $0.writeTimeout = .seconds(100_000) }
        try await withServer(configuration, handler, clock: clock) { running in
            let isCut = try await onOwnThread { [port = running.port] in
                let connection = try RawConnection(port: port, receiveBuffer: 4096)
                try connection.send(.get("/small"))
                _ = try connection.readReply()
                try running.server.update(testConfiguration { $0.writeTimeout = .seconds(30) })
                running.settleBlocking()
                try connection.send(.get("/large"))
                // A thousand steps of 30 seconds stay far below the old timeout plus the allowance for the body's size.
                for _ in 0..<1000 where running.server.statistics.timeouts == 0 {
                    clock.advance(by: .seconds(30))
                    running.settleBlocking()
                }
                return running.server.statistics.timeouts == 1
            }
            #expect(isCut)
        }
    }

    @Test func shutdownServesConnectionsInTheBacklog() async throws {
        let server = HTTPServer(testConfiguration { $0.backlog = 300 }, handler: echo)
        try server.bind()
        let port = try #require(server.port)
        // More than one batch of accepts, all before the server runs.
        let connections = 200
        let started = Gate()
        async let statuses = onOwnThread {
            let waiting = try (0..<connections).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send(.get("/"))
                return connection
            }
            started.open()
            return waiting.map { (try? $0.readReply().status) ?? 0 }
        }
        await started.wait()
        let run = Task { try await server.run() }
        run.cancel()
        try await run.value
        let received = try await statuses
        #expect(received == [Int](repeating: 200, count: connections))
    }

    @Test func measuresTheLatencyOfItsLoop() async throws {
        let idle = HTTPServer(testConfiguration(), handler: echo)
        #expect(await idle.loopLag() == nil)
        try await withServer(testConfiguration(), echo) { running in
            _ = try await running.reply(to: .get("/"))
            let lag = try #require(await running.server.loopLag())
            #expect(lag.now > .zero)
            #expect(lag.longest > .zero)
        }
    }

    @Test func namesTheAddressInUse() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let second = HTTPServer(testConfiguration { $0.port = running.port }, handler: echo)
            let error = #expect(throws: HTTPServerError.self) { try second.bind() }
            #expect(error?.code == .addressInUse)
            #expect(error?.message.contains("127.0.0.1:\(running.port)") == true)
            #expect(error?.message.contains("choose another port") == true)
            let other = await #expect(throws: HTTPServerError.self) { try await second.run() }
            #expect(other == error)
        }
    }

    @Test(arguments: [
        ("no such host.invalid", HTTPServerError.Code.unknownHost), ("192.0.2.1", .addressNotAvailable),
        ("2001:db8::1", .addressNotAvailable),
    ])
    func namesAHostThatIsNotLocal(host: String, code: HTTPServerError.Code) {
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(testConfiguration { $0.host = host }, handler: echo).bind()
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(host) == true)
    }

    @Test(arguments: [
        testConfiguration { $0.host = "" }, testConfiguration { $0.port = -1 }, testConfiguration { $0.port = 65536 },
        testConfiguration { $0.readTimeout = .zero }, testConfiguration { $0.writeTimeout = .seconds(-1) },
        testConfiguration { $0.idleTimeout = .zero }, testConfiguration { $0.gracefulTimeout = .seconds(-1) },
        testConfiguration { $0.headerTimeout = .zero }, testConfiguration { $0.bodyTimeout = .zero },
        testConfiguration { $0.maxPipelinedBytes = 1023 }, testConfiguration { $0.maxPipelinedBytes = 16_385 },
        testConfiguration { $0.evictableAfter = .seconds(-1) },
        testConfiguration { $0.maxConnections = 0 }, testConfiguration { $0.maxRequestsPerConnection = 0 },
        testConfiguration { $0.backlog = 0 }, testConfiguration { $0.descriptorReserve = -1 },
        testConfiguration { $0.host = "a\0" },
    ])
    func rejectsAConfigurationOutOfRange(configuration: HTTPServer.Configuration) async {
        let server = HTTPServer(configuration, handler: echo)
        let error = #expect(throws: HTTPServerError.self) { try server.bind() }
        #expect(error?.code == .invalidConfiguration)
        await #expect(throws: HTTPServerError.self) { try await server.run() }
    }

    @Test(arguments: [
        testConfiguration { $0.port = 65535 }, testConfiguration { $0.readTimeout = .nanoseconds(1) },
        testConfiguration { $0.headerTimeout = .nanoseconds(1) },
        testConfiguration { $0.bodyTimeout = .nanoseconds(1) },
        testConfiguration { $0.writeTimeout = .nanoseconds(1) }, testConfiguration { $0.idleTimeout = .nanoseconds(1) },
        testConfiguration { $0.gracefulTimeout = .zero }, testConfiguration { $0.evictableAfter = .zero },
        testConfiguration { $0.maxPipelinedBytes = 1024 }, testConfiguration { $0.maxPipelinedBytes = 16_384 },
        testConfiguration { $0.maxConnections = 1 }, testConfiguration { $0.maxRequestsPerConnection = 1 },
        testConfiguration { $0.backlog = 1 }, testConfiguration { $0.descriptorReserve = 0 },
    ])
    func acceptsAConfigurationAtItsLimits(configuration: HTTPServer.Configuration) throws {
        try configuration.validate()
    }

    @Test(arguments: [
        ("0.0.0.0", RawConnection.Family.v4), ("::", .v4), ("::", .v6), ("::1", .v6), ("localhost", .v4),
    ])
    func listensOnNamesAndAddresses(host: String, family: RawConnection.Family) async throws {
        try await withServer(testConfiguration { $0.host = host }, echo) { running in
            let port = running.port
            let status = try await onOwnThread { () -> Int? in
                // A name may resolve to either family.
                let connection =
                    (try? RawConnection(port: port, family: family))
                    ?? (host == "localhost" ? try? RawConnection(port: port, family: .v6) : nil)
                try connection?.send(.get("/"))
                return try connection?.readReply().status
            }
            #expect(status == 200)
        }
    }

    @Test func rejectsASecondConcurrentRun() async throws {
        try await withServer(testConfiguration(), echo) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.status == 200)
            let error = await #expect(throws: HTTPServerError.self) { try await running.server.run() }
            #expect(error?.code == .alreadyRunning)
            let other = #expect(throws: HTTPServerError.self) { try running.server.bind() }
            #expect(other?.code == .alreadyRunning)
        }
    }

    @Test func runsAgainAfterAShutdown() async throws {
        let server = HTTPServer(testConfiguration(), handler: echo)
        for _ in 0..<3 {
            let running = try RunningServer.start(server)
            #expect(try await running.reply(to: .get("/")).status == 200)
            try await running.stop()
        }
    }

    @Test func returnsWhenCancelledBeforeItRuns() async throws {
        let server = HTTPServer(testConfiguration(), handler: echo)
        let gate = Gate()
        let run = Task {
            await gate.wait()
            try await server.run()
        }
        run.cancel()
        gate.open()
        try await run.value
        #expect(server.port == nil)
    }

    @Test func closesIdleConnectionsImmediately() async throws {
        let running = try RunningServer.start(testConfiguration { $0.gracefulTimeout = .seconds(600) }, echo)
        let port = running.port
        let used = Gate()
        async let isClosed = onOwnThread {
            let connections = try (0..<3).map { _ in try RawConnection(port: port) }
            // One has received a response, one is in its first wait, one has sent the start of a request.
            try connections[0].send(.get("/"))
            _ = try connections[0].readReply()
            used.open()
            return connections.map { $0.isClosedByPeer() }
        }
        await used.wait()
        try await running.stop()
        let closed = try await isClosed
        #expect(closed == [true, true, true])
        #expect(running.server.statistics.openConnections == 0)
    }

    @Test func completesRequestsInFlight() async throws {
        #if os(Linux)
        // On an otherwise unused address: the port is free as soon as the listener is closed, and another test's server
        // may get it.
        let (host, loopback) = ("127.20.30.40", UInt32(0x7F14_1E28))
        #else
        let (host, loopback) = ("127.0.0.1", UInt32(0x7F00_0001))
        #endif
        let entered = Gate()
        let gate = Gate()
        let handler = ClosureHTTPHandler { _ in
            entered.open()
            await gate.wait()
            return .text("finished")
        }
        let running = try RunningServer.start(testConfiguration { $0.host = host }, handler)
        let port = running.port
        async let reply = onOwnThread {
            let connection = try RawConnection(port: port, loopback: loopback)
            try connection.send(.get("/"))
            return try connection.readReply()
        }
        await entered.wait()
        running.run.cancel()
        // No new connection is served; closing the listener may take a moment.
        let isRefused = try await onOwnThread {
            for _ in 0..<1000 {
                guard let connection = try? RawConnection(port: port, loopback: loopback) else { return true }
                if connection.isClosedByPeer() { continue }
            }
            return false
        }
        #expect(isRefused)
        gate.open()
        let received = try await reply
        #expect(received.text == "finished")
        #expect(received["connection"] == "close")
        try await running.run.value
    }

    @Test(arguments: [Duration.zero, .seconds(50)])
    func closesUnfinishedRequestsAfterTheGracePeriod(grace: Duration) async throws {
        let log = CapturingLogHandler()
        let entered = Gate()
        let cancelled = Gate()
        let handler = ClosureHTTPHandler { _ in
            entered.open()
            defer { cancelled.open() }
            try await suspendUntilCancelled()
            return .text("never")
        }
        let running = try RunningServer.start(
            testConfiguration { $0.gracefulTimeout = grace },
            handler,
            logger: log.logger,
            clock: TestClock()
        )
        async let reply = try? running.reply(to: .get("/"))
        await entered.wait()
        try await running.stop()
        await cancelled.wait()
        let received = await reply
        #expect(received == nil)
        #expect(log.messages(.warn) == ["Requests still in flight were cancelled at the end of the graceful timeout"])
        #expect(running.server.statistics.openConnections == 0)
    }

    @Test func doesNotWaitForAHandlerThatIgnoresCancellation() async throws {
        let entered = Gate()
        let release = Gate()
        let left = Gate()
        let handler = ClosureHTTPHandler { _ in
            entered.open()
            await release.wait()
            left.open()
            return .text("nobody hears this")
        }
        let running = try RunningServer.start(
            testConfiguration { $0.gracefulTimeout = .seconds(20) },
            handler,
            clock: TestClock()
        )
        async let reply = try? running.reply(to: .get("/"))
        await entered.wait()
        try await running.stop()
        let received = await reply
        #expect(received == nil)
        // Its task still exists, and resumes after the server has ended.
        release.open()
        await left.wait()
    }

    /// Runs in a separate process, where nothing else opens descriptors.
    @Test func leaksNoDescriptors() async {
        await #expect(processExitsWith: .success) {
            var counts: [Int] = []
            for _ in 0..<20 {
                try await withServer(testConfiguration(), echo) { running in
                    let connections = try await running.talk { connection in
                        try connection.send(.get("/") + "nonsense\r\n")
                        return [try connection.readReply().status, try connection.readReply().status]
                    }
                    #expect(connections == [200, 400])
                }
                counts.append(openDescriptors())
            }
            // One leaked descriptor per server would add up to fifteen; the system itself opens a few at first use. The
            // last thread of a server ends shortly after the server.
            let bound = counts[4] + 5
            #expect(await eventually { openDescriptors() <= bound })
        }
    }
}

private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
}
