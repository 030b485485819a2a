// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPCore
import WPHTTP
import WPLogging
import WPServer
import WPSockets
import WPTestKit

/// A configuration for tests: loopback, any port, and generous timeouts unless one is under test.
func testConfiguration(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration(host: "127.0.0.1", port: 0)
    configuration.readTimeout = .seconds(120)
    configuration.headerTimeout = .seconds(120)
    configuration.bodyTimeout = .seconds(120)
    configuration.writeTimeout = .seconds(120)
    configuration.idleTimeout = .seconds(120)
    configuration.limits = HTTPLimits(maxBodyBytes: 1 << 20)
    configuration.gracefulTimeout = .seconds(120)
    change(&configuration)
    return configuration
}

/// A server running during a test.
struct RunningServer: Sendable {
    let server: HTTPServer
    let port: Int
    let run: Task<Void, any Error>
    /// The clock of the server's deadlines; nil for the system's clock.
    var clock: TestClock?

    /// Binds and runs.
    static func start(
        _ configuration: HTTPServer.Configuration = testConfiguration(),
        _ handler: any HTTPHandler,
        logger: Logger = .silent,
        clock: TestClock? = nil,
        observer: HTTPServer.Observer? = nil
    ) throws -> RunningServer {
        let server = HTTPServer(
            configuration,
            handler: handler,
            logger: logger,
            timeSource: clock ?? SystemTimeSource() as any TimeSource,
            observer: observer
        )
        var running = try start(server)
        running.clock = clock
        return running
    }

    /// Binds and runs.
    static func start(_ server: HTTPServer) throws -> RunningServer {
        try server.bind()
        let port = try #require(server.port)
        return RunningServer(server: server, port: port, run: Task { try await server.run() })
    }

    /// Stops the server, and waits until it has shut down.
    func stop() async throws {
        run.cancel()
        guard let clock else { return try await run.value }
        // The clock does not advance by itself, so the server would wait for connected peers.
        let hasEnded = Atomic(false)
        async let ended: Void = {
            defer { hasEnded.store(true, ordering: .relaxed) }
            try await run.value
        }()
        await advanceTime(clock) { hasEnded.load(ordering: .relaxed) }
        try await ended
    }

    /// Advances the server's clock in seconds until a condition holds.
    /// - Returns: whether it held before the timeout.
    @discardableResult
    func advanceTime(_ clock: TestClock, until condition: () -> Bool) async -> Bool {
        await WPTestKit.eventually {
            if condition() { return true }
            clock.advance(by: .seconds(1))
            return false
        }
    }

    /// Waits until the server has processed everything that its sockets had received.
    func settle() async {
        for _ in 0..<3 { _ = await server.loopLag() }
    }

    /// The blocking variant of ``settle()``, for a separate thread.
    func settleBlocking() {
        let done = DispatchSemaphore(value: 0)
        Task {
            await settle()
            done.signal()
        }
        done.wait()
    }

    /// Talks to the server over a new connection, on a separate thread.
    func talk<Value: Sendable>(
        _ family: RawConnection.Family = .v4,
        _ body: @escaping @Sendable (RawConnection) throws -> Value
    ) async throws -> Value {
        let port = port
        return try await onOwnThread { try body(try RawConnection(port: port, family: family)) }
    }

    /// Sends bytes over a new connection, and reads one response.
    func reply(to request: String, isHead: Bool = false) async throws -> Reply {
        try await talk { connection in
            try connection.send(request)
            return try connection.readReply(toHead: isHead)
        }
    }

    /// Waits until the statistics are as expected; they change shortly after a peer sees the effect.
    func eventually(_ condition: (ServerStatistics) -> Bool) async -> Bool {
        await WPTestKit.eventually { condition(server.statistics) }
    }

    /// The blocking variant of ``eventually(_:)``, for a separate thread.
    func waitBlocking(until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            settleBlocking()
        }
        return true
    }

    /// The blocking variant of ``eventually(_:)``, for a separate thread.
    func waitFor(_ condition: (ServerStatistics) -> Bool) -> Bool {
        waitBlocking { condition(server.statistics) }
    }
}

/// Runs a server during a test, and checks that it shuts down.
func withServer<Value>(
    _ configuration: HTTPServer.Configuration = testConfiguration(),
    _ handler: any HTTPHandler,
    logger: Logger = .silent,
    clock: TestClock? = nil,
    observer: HTTPServer.Observer? = nil,
    _ body: (RunningServer) async throws -> Value
) async throws -> Value {
    let running = try RunningServer.start(configuration, handler, logger: logger, clock: clock, observer: observer)
    do {
        let value = try await body(running)
        try await running.stop()
        return value
    } catch {
        running.run.cancel()
        _ = await running.run.result
        throw error
    }
}

/// Answers 200 with the method, the target and the body.
let echo = ClosureHTTPHandler { request in
    .text("\(request.method) \(request.target) \(String(decoding: try await request.readBody(), as: UTF8.self))")
}

extension String {
    /// A GET of a path over HTTP/1.1, with additional header lines.
    static func get(_ path: String, _ lines: String...) -> String {
        "GET \(path) HTTP/1.1\r\nHost: test\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }
}

extension RawConnection {
    /// Advances a server's clock until the server sends something.
    /// - Parameter step: the increment. The bytes must arrive within nine steps; no other timeout may be that short.
    func waitWhileAdvancing(_ step: Duration, of clock: TestClock, in running: RunningServer) {
        for _ in 0..<9 {
            clock.advance(by: step)
            running.settleBlocking()
            if isReadable(within: 0) { return }
        }
    }
}
