// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPClient
import WPLogging
import WPModel
import WPTestKit

/// A client with everything around it in a test's hands.
final class Bench: Sendable {
    static let password = "correct horse"

    let clock = TestClock()
    let transport = ScriptedTransport()
    let observer = RecordingObserver()
    let logs = CapturingLogHandler()
    let client: WinPowerClient
    private let credentials: Credentials

    /// The credentials that the client is given.
    private final class Credentials: Sendable {
        let state = Mutex<Result<WinPowerCredentials, Unreadable>>(
            .success(WinPowerCredentials(username: "reader", password: Secret(Bench.password)))
        )
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String { "no file at /run/secrets/winpower" }
    }

    init(
        _ configuration: WinPowerClient.Configuration = .init(),
        randomness: @escaping @Sendable () -> Double = { 0 }
    ) {
        let credentials = Credentials()
        self.credentials = credentials
        client = WinPowerClient(
            configuration: configuration,
            transport: transport,
            credentials: { try credentials.state.withLock { $0 }.get() },
            timeSource: clock.timeSource,
            observer: observer,
            logger: logs.logger,
            randomness: randomness
        )
    }

    func setPassword(_ password: String) {
        credentials.state.withLock {
            $0 = .success(WinPowerCredentials(username: "reader", password: Secret(password)))
        }
    }

    func loseCredentials() {
        credentials.state.withLock { $0 = .failure(Unreadable()) }
    }

    /// Reads and gives the error that this must end with.
    func failure(sourceLocation: SourceLocation = #_sourceLocation) async throws -> DeviceSourceError {
        try #require(
            await #expect(throws: DeviceSourceError.self, sourceLocation: sourceLocation) {
                _ = try await self.client.readDevices()
            },
            sourceLocation: sourceLocation
        )
    }

    /// The ids of one reading.
    func ids() async throws -> [String] {
        try await client.readDevices().map(\.device.id.rawValue)
    }
}
