// SPDX-License-Identifier: MIT

import Dispatch
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
    let transport: ScriptedTransport
    let observer = RecordingObserver()
    let logs = CapturingLogHandler()
    let client: WinPowerClient
    private let credentials: Credentials

    /// The credentials that the client is given.
    private final class Credentials: Sendable {
        let state = Mutex<Result<WinPowerCredentials, Unreadable>>(
            .success(WinPowerCredentials(username: "reader", password: Secret(Bench.password)))
        )
        /// What reading them waits for; nil to give them at once.
        let gate = Mutex<DispatchSemaphore?>(nil)

        @Sendable func read() throws -> WinPowerCredentials {
            if let gate = gate.withLock({ $0 }) { gate.wait() }
            return try state.withLock { $0 }.get()
        }
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String { "no file at /run/secrets/winpower" }
    }

    init(
        _ configuration: WinPowerClient.Configuration = .init(),
        password: String = Bench.password,
        maxConcurrentRequests: Int = 1,
        sleepsOnClock: Bool = false,
        randomness: @escaping @Sendable () -> Double = { 0 }
    ) {
        let credentials = Credentials()
        credentials.state.withLock {
            $0 = .success(WinPowerCredentials(username: "reader", password: Secret(password)))
        }
        self.credentials = credentials
        transport = ScriptedTransport(maxConcurrentRequests: maxConcurrentRequests)
        client = WinPowerClient(
            configuration: configuration,
            transport: transport,
            credentials: credentials.read,
            timeSource: clock.timeSource,
            clock: sleepsOnClock ? clock : ContinuousClock(),
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

    /// Lets reading the credentials hang from now on.
    /// - Returns: what ends that, for one reading per signal.
    func hangCredentials() -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        credentials.gate.withLock { $0 = gate }
        return gate
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
