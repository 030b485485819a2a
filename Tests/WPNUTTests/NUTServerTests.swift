// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPLogging
import WPModel
import WPSockets
import WPTestKit

@testable import WPNUT

@Suite("A NUT server over sockets")
struct NUTServerTests {
    private struct Source: UPSStatusSource {
        let readings: [DeviceReading]

        func observations() -> AsyncStream<UPSObservation> {
            let (stream, continuation) = AsyncStream.makeStream(of: UPSObservation.self)
            continuation.yield(UPSObservation(readings: readings))
            return stream
        }
    }

    private let clock = TestClock()
    private let users = "[p]\npassword = one\nupsmon primary\n[s]\npassword = two\nupsmon secondary\n"

    private func withServer(
        _ change: (inout NUTServer.Configuration) -> Void = { _ in },
        logger: Logger = .silent,
        monotonic: any MonotonicClock = SystemMonotonicClock(),
        _ body: @escaping @Sendable (Int, NUTServer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        var configuration = NUTServer.Configuration(addresses: [HostPort(host: "127.0.0.1", port: 0)])
        configuration.usersFile = try directory.write(users, to: "upsd.users")
        change(&configuration)
        let server = try NUTServer(
            configuration,
            source: Source(readings: [.sample(id: "a", time: clock.timeSource.now)]),
            timeSource: clock.timeSource,
            version: "1",
            logger: logger,
            clock: monotonic
        )
        try server.bind()
        let port = try #require(server.ports.first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            // The reading arrives apart from the connections.
            while server.statistics.upses.first?.isAvailable != true { try await Task.sleep(for: .milliseconds(1)) }
            try await body(port, server)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test(.timeLimit(.minutes(1))) func answersLinesAndCountsLogins() async throws {
        let log = CapturingLogHandler()
        try await withServer(logger: log.logger) { port, server in
            try await blocking {
                let client = try LineClient(port: port)
                #expect(try client.ask("GET VAR a ups.status") == "VAR a ups.status \"OL CHRG\"")
                try client.send("USERNAME p\nPASSWORD one\nLOGIN a\r\nGET NUMLOGINS a\n")
                let replies: [String?] = try (0..<4).map { _ in try client.line() }
                #expect(replies == ["OK", "OK", "OK", "NUMLOGINS a 1"])
                #expect(try client.ask("PRIMARY a") == "OK PRIMARY-GRANTED")
                #expect(try client.ask("FSD a") == "OK FSD-SET")
                #expect(try client.ask("GET VAR a ups.status") == "VAR a ups.status \"FSD OL CHRG\"")
                let other = try LineClient(port: port)
                #expect(try other.ask("LIST CLIENT a") == "BEGIN LIST CLIENT a")
                #expect(try other.line() == "CLIENT a 127.0.0.1")
                #expect(server.statistics.upses.first?.logins == 1)
                #expect(try client.ask("LOGOUT") == "OK Goodbye")
                #expect(try client.line() == nil)
            }
            try await until { server.statistics.upses.first?.logins == 0 }
            let statistics = server.statistics
            #expect(statistics.forcedShutdowns == 1 && statistics.upses.first?.isForcedShutdown == true)
            #expect(statistics.commands[.init(name: "get", result: "ok")] == 3)
            #expect(statistics.commands[.init(name: "fsd", result: "ok")] == 1)
        }
        #expect(log.messages(.warn) == ["Forced shutdown"])
        #expect(
            log.messages(.info).filter { $0.hasPrefix("NUT log") } == ["NUT login", "NUT logout"]
        )
        for record in log.records { #expect(!"\(record)".contains("one\"")) }
    }

    @Test(.timeLimit(.minutes(1))) func closesAfterALineThatIsTooLong() async throws {
        try await withServer { port, _ in
            try await blocking {
                let client = try LineClient(port: port)
                #expect(try client.ask(String(repeating: "x", count: 1024)) == "ERR UNKNOWN-COMMAND")
                try client.send(String(repeating: "x", count: 1025))
                #expect(try client.line() == "ERR INVALID-ARGUMENT")
                #expect(try client.line() == nil)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func rejectsNetworksThatAreNotAllowed() async throws {
        try await withServer({ $0.allowed = [IPNetwork("10.0.0.0/8")].compactMap(\.self) }) { port, server in
            let line = try await blocking { () throws -> String? in try LineClient(port: port).line() }
            #expect(line == nil)
            #expect(server.statistics.rejectedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(1))) func aNewConnectionDisplacesOneThatIsNotLoggedIn() async throws {
        try await withServer({ $0.maxConnections = 2 }) { port, server in
            try await blocking {
                let loggedIn = try LineClient(port: port)
                _ = try loggedIn.ask("USERNAME s")
                _ = try loggedIn.ask("PASSWORD two")
                #expect(try loggedIn.ask("LOGIN a") == "OK")
                let idle = try LineClient(port: port)
                #expect(try idle.ask("VER")?.hasPrefix("winpower-exporter") == true)
                let third = try LineClient(port: port)
                #expect(try third.ask("NETVER") == "1.3")
                #expect(try idle.line() == nil)
                #expect(try loggedIn.ask("NETVER") == "1.3")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func endsSilentConnections() async throws {
        let monotonic = ManualMonotonicClock()
        try await withServer(monotonic: monotonic) { port, server in
            try await blocking {
                let client = try LineClient(port: port)
                #expect(try client.ask("NETVER") == "1.3")
                monotonic.advance(by: .seconds(599))
                #expect(try client.ask("NETVER") == "1.3")
            }
            let client = try LineClient(port: port)
            let version = try await blocking { () throws -> String? in try client.ask("NETVER") }
            #expect(version == "1.3")
            monotonic.advance(by: .seconds(601))
            let end = try await blocking { () throws -> String? in try client.line() }
            #expect(end == nil)
            try await until { server.statistics.openConnections == 0 }
        }
    }

    @Test(.timeLimit(.minutes(1))) func aSilentClientDelaysNobody() async throws {
        try await withServer { port, _ in
            try await blocking {
                let slow = try LineClient(port: port)
                try slow.send("GET VAR a")
                let client = try LineClient(port: port)
                for _ in 0..<100 where try client.ask("NETVER") != "1.3" { Issue.record("no answer") }
                #expect(try slow.ask(" ups.status") == "VAR a ups.status \"OL CHRG\"")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func newSettingsHoldAtOnce() async throws {
        try await withServer { port, server in
            var configuration = NUTServer.Configuration()
            configuration.names = try UPSNames(given: ["a": "rack"])
            try server.update(configuration)
            try await blocking {
                let client = try LineClient(port: port)
                #expect(try client.ask("GET UPSDESC rack") == "UPSDESC rack \"UPS 1\"")
                _ = try client.ask("USERNAME p")
                _ = try client.ask("PASSWORD one")
                #expect(try client.ask("LOGIN rack") == "ERR ACCESS-DENIED")
            }
            #expect(server.statistics.rejectedLogins == ["credentials": 1])
            configuration.usersFile = "/does/not/exist"
            #expect(throws: UsersFileError.self) { try server.update(configuration) }
        }
    }
}
