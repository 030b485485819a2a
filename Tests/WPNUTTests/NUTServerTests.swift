// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPCore
import WPLogging
import WPModel
@testable import WPNUT
import WPSockets
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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

    private func makeServer(
        _ configuration: NUTServer.Configuration,
        logger: Logger = .silent,
        authenticator: Authenticator = Authenticator(timeSource: .system)
    ) throws -> NUTServer {
        try NUTServer(
            configuration,
            source: Source(readings: [.sample(id: "a", time: clock.timeSource.now)]),
            timeSource: clock.timeSource,
            version: "1",
            logger: logger,
            authenticator: authenticator
        )
    }

    private func withServer(
        _ change: (inout NUTServer.Configuration) -> Void = { _ in },
        users: String? = nil,
        logger: Logger = .silent,
        authenticator: Authenticator = Authenticator(timeSource: .system),
        _ body: @escaping @Sendable (Int, NUTServer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        var configuration = NUTServer.Configuration(addresses: [HostPort(host: "127.0.0.1", port: 0)])
        configuration.usersFile = try directory.write(users ?? self.users, to: "upsd.users")
        change(&configuration)
        let server = try makeServer(
            configuration,
            logger: logger,
            authenticator: authenticator
        )
        try server.bind()
        let port = try #require(server.ports.first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            // The reading arrives independently of the connections.
            #expect(await eventually { server.statistics.upses.first?.isAvailable == true })
            try await body(port, server)
            group.cancelAll()
            try await group.waitForAll()
        }
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
                // Repeating it changes nothing.
                #expect(try client.ask("FSD a") == "OK FSD-SET")
                #expect(try client.ask("GET VAR a ups.status") == "VAR a ups.status \"FSD OL CHRG\"")
                let other = try LineClient(port: port)
                #expect(try other.ask("LIST CLIENT a") == "BEGIN LIST CLIENT a")
                #expect(try other.line() == "CLIENT a 127.0.0.1")
                #expect(server.statistics.upses.first?.logins == 1)
                #expect(try client.ask("LOGOUT") == "OK Goodbye")
                #expect(try client.line() == nil)
            }
            #expect(await eventually { server.statistics.upses.first?.logins == 0 })
            let statistics = server.statistics
            #expect(statistics.forcedShutdowns == 1 && statistics.upses.first?.isForcedShutdown == true)
            #expect(statistics.commands[.init(name: "get", result: "ok")] == 3)
            #expect(statistics.commands[.init(name: "fsd", result: "ok")] == 2)
        }
        #expect(log.messages(.warn) == ["Forced shutdown"])
        #expect(
            log.messages(.info).filter { $0.hasPrefix("NUT log") } == ["NUT login", "NUT logout"]
        )
        for record in log.records { #expect(!"\(record)".contains("one\"")) }
    }

    @Test(.timeLimit(.minutes(1))) func closesTheConnectionAfterALineThatIsTooLong() async throws {
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

    @Test(.timeLimit(.minutes(1))) func rejectsDisallowedNetworks() async throws {
        try await withServer({ $0.allowed = [IPNetwork("10.0.0.0/8")].compactMap(\.self) }) { port, server in
            let line = try await blocking { () throws -> String? in try LineClient(port: port).line() }
            #expect(line == nil)
            #expect(server.statistics.rejectedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(1))) func evictsAConnectionThatIsNotLoggedIn() async throws {
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

    @Test(.timeLimit(.minutes(1))) func closesSilentConnections() async throws {
        try await withServer { port, server in
            try await blocking {
                let client = try LineClient(port: port)
                #expect(try client.ask("NETVER") == "1.3")
                clock.advance(by: .seconds(599))
                #expect(try client.ask("NETVER") == "1.3")
            }
            // A machine that hangs: its kernel still acknowledges packets and keeps the connection open.
            let client = try LineClient(port: port)
            let login = try await blocking { () throws -> String? in
                _ = try client.ask("USERNAME s")
                _ = try client.ask("PASSWORD two")
                return try client.ask("LOGIN a")
            }
            #expect(login == "OK" && server.statistics.upses.first?.logins == 1)
            clock.advance(by: .seconds(601))
            let end = try await blocking { () throws -> String? in try client.line() }
            #expect(end == nil)
            #expect(await eventually { server.statistics.openConnections == 0 })
            #expect(server.statistics.upses.first?.logins == 0)
        }
    }

    #if os(Linux)
    /// The system ends the connection of a peer that is gone; the server then forgets its login.
    @Test(.timeLimit(.minutes(1))) func enablesKeepaliveProbes() async throws {
        try await withServer { port, _ in
            let client = try LineClient(port: port)
            let version = try await blocking { () throws -> String? in try client.ask("NETVER") }
            #expect(version == "1.3")
            // The answer must be acknowledged before the probe timer starts.
            #expect(await eventually { (keepAliveTimer(port) ?? .max) <= 1500 })
            withExtendedLifetime(client) {}
        }
        // Probes begin after 15 seconds; two unanswered ones end the connection, 45 seconds after the last data.
        let descriptor = SocketPlatform.makeStreamSocket(family: AF_INET)
        defer { close(descriptor) }
        SocketOptions.keepAlive(descriptor, within: .seconds(45))
        let level = Int32(IPPROTO_TCP)
        let values = [TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT].map {
            SocketOptions.get(descriptor, level: level, name: $0)
        }
        #expect(values == [15, 15, 2, 45000])
    }

    /// The hundredths of a second until the system probes the client of the only connection to a port; nil without a
    /// probe timer.
    private func keepAliveTimer(_ port: Int) -> Int? {
        let file = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var table: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(file, &buffer, buffer.count), count > 0 { table += buffer[..<count] }
        let end = ":" + String(port, radix: 16, uppercase: true)
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            // Number, local address, remote address, state, queues, kind of timer and its expiry.
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1].hasSuffix(end), fields[3] == "01" else { continue }
            let timer = fields[5].split(separator: ":")
            return timer.first == "02" ? timer.last.flatMap { Int($0, radix: 16) } : nil
        }
        return nil
    }
    #endif

    @Test(.timeLimit(.minutes(1))) func isNotBlockedByASilentClient() async throws {
        try await withServer { port, _ in
            try await blocking {
                let slow = try LineClient(port: port)
                try slow.send("GET VAR a")
                let client = try LineClient(port: port)
                for _ in 0..<100 where try client.ask("NETVER") != "1.3" { Issue.record("no reply") }
                #expect(try slow.ask(" ups.status") == "VAR a ups.status \"OL CHRG\"")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func acceptsAHashedPassword() async throws {
        let users =
            "[s]\npassword = $5$saltsalt$ab/jD0Rxktb8s4TEa8aSpeYgPEOtF2tr5MaSbOSF7K2\nupsmon secondary\n"
        try await withServer(users: users) { port, server in
            try await blocking {
                for (password, expected) in [("wrong", "ERR ACCESS-DENIED"), ("two", "OK")] {
                    let client = try LineClient(port: port)
                    _ = try client.ask("USERNAME s")
                    _ = try client.ask("PASSWORD \(password)")
                    #expect(try client.ask("LOGIN a") == expected)
                }
            }
            #expect(server.statistics.rejectedLogins == ["credentials": 1])
        }
    }

    @Test(.timeLimit(.minutes(1))) func isNotBlockedByASlowHash() async throws {
        let finish = DispatchSemaphore(value: 0)
        let authenticator = Authenticator(timeSource: .system) { _, password in
            finish.wait()
            return password == "two"
        }
        let users =
            "[s]\npassword = $5$saltsalt$ab/jD0Rxktb8s4TEa8aSpeYgPEOtF2tr5MaSbOSF7K2\nupsmon secondary\n"
        try await withServer(users: users, authenticator: authenticator) { port, _ in
            try await blocking {
                let client = try LineClient(port: port)
                try client.send("USERNAME s\nPASSWORD two\nLOGIN a\n")
                _ = (try client.line(), try client.line())
                let other = try LineClient(port: port)
                #expect(try other.ask("GET NUMLOGINS a") == "NUMLOGINS a 0")
                finish.signal()
                #expect(try client.line() == "OK")
                #expect(try other.ask("GET NUMLOGINS a") == "NUMLOGINS a 1")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func letsAPrimaryShutDownDespiteFailuresOfOthers() async throws {
        try await withServer { port, server in
            try await blocking {
                let primary = try LineClient(port: port)
                _ = try primary.ask("USERNAME p")
                _ = try primary.ask("PASSWORD one")
                #expect(try primary.ask("LOGIN a") == "OK")
                let wrong = try LineClient(port: port)
                _ = try wrong.ask("USERNAME s")
                _ = try wrong.ask("PASSWORD wrong")
                for _ in 0...FailedLogins.limit { #expect(try wrong.ask("LOGIN a") == "ERR ACCESS-DENIED") }
                #expect(server.statistics.rejectedLogins == ["credentials": FailedLogins.limit, "rate": 1])
                #expect(try primary.ask("PRIMARY a") == "OK PRIMARY-GRANTED")
                #expect(try primary.ask("FSD a") == "OK FSD-SET")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), .enabled(if: LineClient.hasIPv6)) func listensOnSeveralAddresses() async throws {
        let addresses = [HostPort(host: "::1", port: 0), HostPort(host: "127.0.0.1", port: 0)]
        let server = try makeServer(NUTServer.Configuration(addresses: addresses))
        try server.bind()
        let ports = server.ports
        try #require(ports.count == 2)
        let running = Task { try await server.run() }
        try await blocking {
            let clients = (try LineClient(port: ports[0], isIPv6: true), try LineClient(port: ports[1]))
            #expect(try clients.0.ask("NETVER") == "1.3")
            #expect(try clients.1.ask("NETVER") == "1.3")
        }
        running.cancel()
        try await running.value
    }

    @Test(.timeLimit(.minutes(1))) func limitsABurstOfConnections() async throws {
        let configuration = NUTServer.Configuration(
            addresses: [HostPort(host: "127.0.0.1", port: 0)],
            maxConnections: 4
        )
        let server = try makeServer(configuration)
        try server.bind()
        let port = try #require(server.ports.first)
        // They wait in the system's queue, and are accepted together.
        let clients = try await blocking { try (0..<40).map { _ in try LineClient(port: port) } }
        let running = Task { try await server.run() }
        #expect(await eventually { server.statistics.acceptedConnections == clients.count })
        #expect(await eventually { server.statistics.openConnections <= 4 })
        running.cancel()
        try await running.value
    }

    @Test(.timeLimit(.minutes(1))) func failsWhenItCannotListen() async throws {
        let taken = try makeServer(NUTServer.Configuration(addresses: [HostPort(host: "127.0.0.1", port: 0)]))
        try taken.bind()
        let port = try #require(taken.ports.first)
        let other = try makeServer(NUTServer.Configuration(addresses: [HostPort(host: "127.0.0.1", port: port)]))
        await #expect(throws: (any Error).self) { try await other.run() }
    }

    @Test(.timeLimit(.minutes(1))) func appliesNewSettingsImmediately() async throws {
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
