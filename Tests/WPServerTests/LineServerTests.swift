// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPLogging
import WPSockets
import WPTestKit

@testable import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("The server of line protocols", .timeLimit(.minutes(1)))
struct LineServerTests {
    /// Answers with the line; `quit` closes, `tls` starts TLS.
    private final class Session: LineSession {
        let isExpendable: Bool
        let tls: (any TLSContextSource)?
        let ended: @Sendable () -> Void

        init(isExpendable: Bool, tls: (any TLSContextSource)?, ended: @escaping @Sendable () -> Void) {
            (self.isExpendable, self.tls, self.ended) = (isExpendable, tls, ended)
        }

        nonisolated(nonsending) func answer(_ line: [UInt8], isEncrypted: Bool) async -> LineAnswer {
            if line == Array("quit".utf8) { return LineAnswer(Array("bye\n".utf8), next: .close) }
            if line == Array("tls".utf8), let tls { return LineAnswer(Array("go\n".utf8), next: .startTLS(tls)) }
            return LineAnswer(Array("\(isEncrypted ? "tls" : "plain") ".utf8) + line + [0x0A])
        }

        func end() { ended() }
    }

    private struct Running: Sendable {
        let server: LineServer
        let port: Int
        let clock: TestClock
        let log: CapturingLogHandler
        let ends: Counters<Int>

        func talk<Value: Sendable>(_ body: @escaping @Sendable (RawConnection) throws -> Value) async throws -> Value {
            let port = port
            return try await onOwnThread { try body(try RawConnection(port: port)) }
        }

        /// Whether the condition becomes true after exactly this time, and not a millisecond before.
        func changes(after span: Duration, _ condition: @Sendable (LineServerStatistics) -> Bool) async throws -> Bool {
            clock.advance(by: span - .milliseconds(1))
            // The server has checked its deadlines when it answers.
            try await talk { connection in
                try connection.send("quit\n")
                _ = try connection.receiveToEnd()
            }
            guard !condition(server.statistics) else { return false }
            clock.advance(by: .milliseconds(1))
            return await eventually { condition(server.statistics) }
        }
    }

    private func withServer(
        isExpendable: Bool = false,
        tls: (any TLSContextSource)? = nil,
        admits: @escaping @Sendable () -> Bool = { true },
        _ change: (inout LineServer.Limits) -> Void = { _ in },
        _ body: (Running) async throws -> Void
    ) async throws {
        var limits = LineServer.Limits()
        limits.oversizeAnswer = Array("too long\n".utf8)
        change(&limits)
        let (clock, log, ends) = (TestClock(), CapturingLogHandler(), Counters(0))
        let server = LineServer(
            name: "Test",
            addresses: [HostPort(host: "127.0.0.1", port: 0), HostPort(host: "127.0.0.1", port: 0)],
            limits: limits,
            logger: log.logger,
            timeSource: clock
        ) { peer in
            guard peer.host == "127.0.0.1", admits() else { return nil }
            return Session(isExpendable: isExpendable, tls: tls) { ends.update { $0 += 1 } }
        }
        #expect(server.ports.isEmpty)
        try server.bind()
        let ports = server.ports
        try server.bind()
        #expect(server.ports == ports && ports.count == 2)
        let run = Task { try await server.run() }
        #expect(await eventually { log.messages(.info).count { $0 == "Test server listening" } == 2 })
        try await body(Running(server: server, port: ports[1], clock: clock, log: log, ends: ends))
        run.cancel()
        try await run.value
        #expect(server.statistics.open == 0)
    }

    @Test func answersLinesUntilTheEnd() async throws {
        try await withServer { running in
            let text = try await running.talk { connection in
                try connection.send("a\n\nb")
                try connection.send("c\nquit\nmore\n")
                return try connection.receiveToEnd()
            }
            #expect(String(decoding: text, as: UTF8.self) == "plain a\nplain \nplain bc\nbye\n")
            #expect(await eventually { running.ends.snapshot == 1 && running.server.statistics.open == 0 })
            #expect(running.server.statistics.accepted == 1 && running.server.statistics.rejected == 0)
        }
    }

    @Test func limitsLines() async throws {
        try await withServer({ $0.maxLineBytes = 8 }) { running in
            for (line, expected) in [
                ("12345678\nquit\n", "plain 12345678\nbye\n"), ("123456789\n", "too long\n"),
                ("123456789", "too long\n"),
            ] {
                let text = try await running.talk { connection in
                    try connection.send(line)
                    return try connection.receiveToEnd()
                }
                #expect(String(decoding: text, as: UTF8.self) == expected, "\(line)")
            }
        }
    }

    @Test func waitsForTheEndOfALineOfTheMaximumLength() async throws {
        try await withServer({ $0.maxLineBytes = 8 }) { running in
            let connection = try RawConnection(port: running.port)
            try connection.send("12345678")
            // The server has read the first part when it answers another connection.
            try await running.talk { other in
                try other.send("quit\n")
                _ = try other.receiveToEnd()
            }
            try connection.send("\nquit\n")
            let text = try connection.receiveToEnd()
            #expect(String(decoding: text, as: UTF8.self) == "plain 12345678\nbye\n")
        }
    }

    @Test func closesIdleConnections() async throws {
        try await withServer({ $0.idleTimeout = .seconds(5) }) { running in
            let connection = try RawConnection(port: running.port)
            #expect(await eventually { running.server.statistics.open == 1 })
            #expect(try await running.changes(after: .seconds(5)) { $0.timeouts == 1 })
            #expect(await eventually { running.server.statistics.open == 0 })
            withExtendedLifetime(connection) {}
        }
    }

    @Test(arguments: [true, false])
    func limitsConnections(isExpendable: Bool) async throws {
        try await withServer(isExpendable: isExpendable, { $0.maxConnections = 2 }) { running in
            var connections: [RawConnection] = []
            for count in 1...2 {
                connections.append(try RawConnection(port: running.port))
                #expect(await eventually { running.server.statistics.accepted == count })
                running.clock.advance(by: .seconds(1))
            }
            let closed = try await running.talk { connection in
                try? connection.send("quit\n")
                return (try? connection.receiveToEnd()) ?? []
            }
            #expect(String(decoding: closed, as: UTF8.self) == (isExpendable ? "bye\n" : ""))
            let statistics = running.server.statistics
            #expect(statistics.rejected == (isExpendable ? 0 : 1) && statistics.accepted == (isExpendable ? 3 : 2))
            #expect(running.log.messages(.warn) == (isExpendable ? [] : ["A connection was rejected"]))
            #expect(await eventually { running.server.statistics.open == (isExpendable ? 1 : 2) })
            // The oldest one made room.
            #expect(connections[0].isReadable(within: 0) == isExpendable)
            #expect(!connections[1].isReadable(within: 0))
        }
    }

    @Test func rejectsPeersThatAreNotAdmitted() async throws {
        try await withServer(admits: { false }) { running in
            let isClosed = try await running.talk { $0.isClosedByPeer() }
            #expect(isClosed)
            #expect(running.server.statistics == Self.statistics { $0.rejected = 1 })
        }
    }

    private static func statistics(_ change: (inout LineServerStatistics) -> Void) -> LineServerStatistics {
        var statistics = LineServerStatistics()
        change(&statistics)
        return statistics
    }

    @Test func startsTLS() async throws {
        let identity = try TLSTestIdentity()
        let context = try TLSContext.server(certificateFile: identity.certificate, keyFile: identity.key)
        try await withServer(tls: context) { running in
            let answer = try await running.talk { connection in
                try connection.send("tls\n")
                guard try connection.receive() == Array("go\n".utf8) else { throw ClientFailure("no TLS") }
                let session = try TLSSession(
                    client: try .client(.authorities(path: identity.certificate)),
                    host: "localhost",
                    descriptor: connection.descriptor
                )
                while try session.handshake() != .done(0) { _ = connection.isReadable(within: 1000) }
                _ = try Array("x\n".utf8).withUnsafeBytes { try session.write($0) }
                var buffer = [UInt8](repeating: 0, count: 64)
                while true {
                    if case .done(let count) = try buffer.withUnsafeMutableBytes({ try session.read(into: $0) }) {
                        return Array(buffer[..<count])
                    }
                    guard connection.isReadable(within: 1000) else { return [] }
                }
            }
            #expect(answer == Array("tls x\n".utf8))
            #expect(running.server.statistics.failedHandshakes == 0)
            for text in ["tls\nmore\n", "tls\n"] {
                _ = try await running.talk { connection in
                    try connection.send(text)
                    if text == "tls\n" {
                        guard try connection.receive() == Array("go\n".utf8) else { throw ClientFailure("no TLS") }
                        try connection.send("no handshake\n")
                    }
                    _ = try? connection.receiveToEnd()
                }
            }
            #expect(await eventually { running.server.statistics.failedHandshakes == 2 })
            #expect(running.log.messages(.info).count { $0 == "A TLS handshake failed" } == 2)
            let slow = try RawConnection(port: running.port)
            try slow.send("tls\n")
            #expect(slow.isReadable(within: RawConnection.maximumWait))
            #expect(try await running.changes(after: .seconds(10)) { $0.failedHandshakes == 3 })
        }
    }

    @Test func hasTheDocumentedLimits() {
        let limits = LineServer.Limits()
        #expect(limits.maxConnections == 4096 && limits.maxLineBytes == 1024 && limits.oversizeAnswer.isEmpty)
        #expect(limits.idleTimeout == .seconds(600) && limits.writeTimeout == .seconds(10))
        #expect(limits.handshakeTimeout == .seconds(10) && limits.keepAlive == .seconds(45))
        let server = HTTPServer.Configuration()
        #expect(server.host == "0.0.0.0" && server.port == 0 && server.maxConnections == 1024 && server.tls == nil)
        #expect(server.readTimeout == .seconds(30) && server.headerTimeout == .seconds(10))
        #expect(server.bodyTimeout == .seconds(20) && server.writeTimeout == .seconds(30))
        #expect(server.idleTimeout == .seconds(60) && server.gracefulTimeout == .seconds(5))
        #expect(server.evictableAfter == .seconds(1) && server.descriptorReserve == 64 && server.backlog == 511)
        #expect(server.maxRequestsPerConnection == 10_000 && server.maxPipelinedBytes == 16_384)
        #expect(server.limits == HTTPLimits())
        #expect(LineServerStatistics() == Self.statistics { _ in })
    }
}
