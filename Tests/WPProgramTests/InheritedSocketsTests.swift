// SPDX-License-Identifier: MIT

import Testing
import WPLogging
@testable import WPProgram
@testable import WPServer
import WPSettings
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Inherited sockets")
struct InheritedSocketsTests {
    private static let message =
        "The service manager's socket does not match server.host and server.port; the socket is used"

    /// The log records for a socket that listens on a host.
    private func records(
        on host: String,
        settings configured: String,
        port: (Int) -> Int = { $0 }
    ) throws -> [LogRecord] {
        let socket = try ListeningSocket.open(host: host, port: 0, backlog: 1)
        let descriptor = socket.take()
        defer { close(descriptor) }
        var settings = ServerSettings(host: configured, port: 0)
        settings.port = port(try #require(socket.port))
        let log = CapturingLogHandler()
        InheritedSockets.check([descriptor], settings, logger: log.logger)
        return log.records
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("0.0.0.0", "0.0.0.0"), ("0.0.0.0", "::"),
    ])
    func logsNothingIfTheyMatch(host: String, configured: String) throws {
        #expect(try records(on: host, settings: configured).isEmpty)
        #expect(try records(on: host, settings: configured) { _ in 0 }.isEmpty)
    }

    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "0.0.0.0"), ("127.0.0.1", "127.0.0.2")])
    func logsSocketsWithOtherAddresses(host: String, configured: String) throws {
        let found = try #require(try records(on: host, settings: configured).first)
        #expect(found.level == .warn)
        #expect(found.message == Self.message)
        guard case .string(let address)? = found.fields["address"], case .string(let wanted)? = found.fields["settings"]
        else {
            Issue.record("the addresses are not named")
            return
        }
        #expect(address.hasPrefix(host + ":"))
        #expect(wanted.hasPrefix(configured + ":"))
    }

    @Test func logsSocketsWithOtherPorts() throws {
        #expect(try records(on: "127.0.0.1", settings: "127.0.0.1") { $0 ^ 1 }.map(\.message) == [Self.message])
    }

    @Test func servesInheritedSocketsAnyway() async throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 8)
        let log = CapturingLogHandler()
        let port = socket.port
        var settings = ProbeSettings()
        settings.server.host = "127.0.0.2"
        let frame = try await ProgramFrame<Probe>(
            try SettingsLoader(ProbeSettings.table, environment: [:]).check(settings),
            listening: [socket.take()],
            parts: ProgramParts(logger: log.logger)
        )
        #expect(frame.server?.port == port)
        #expect(log.messages(.warn) == [Self.message])
    }
}
