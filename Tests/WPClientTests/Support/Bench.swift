// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPClient
import WPCore
import WPLogging
import WPModel
import WPTestKit

/// A client with fake dependencies.
final class Bench: Sendable {
    static let password = "correct horse"

    let clock = TestClock()
    let transport: ScriptedTransport
    let observer = RecordingObserver()
    let logs = CapturingLogHandler()
    let client: WinPowerClient
    private let credentials: Credentials

    /// The credentials returned to the client.
    private final class Credentials: Sendable {
        let state = Mutex<Result<WinPowerCredentials, Unreadable>>(
            .success(WinPowerCredentials(username: "reader", password: Secret(Bench.password)))
        )
        /// Blocks reading them; nil to return them immediately.
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
            timeSource: sleepsOnClock ? clock : EndlessSleeps(clock: clock),
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

    /// Makes reading the credentials hang.
    /// - Returns: a continuation that releases one read per signal.
    func hangCredentials() -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        credentials.gate.withLock { $0 = gate }
        return gate
    }

    func loseCredentials() {
        credentials.state.withLock { $0 = .failure(Unreadable()) }
    }

    /// Polls and returns the expected error.
    func failure(sourceLocation: SourceLocation = #_sourceLocation) async throws -> DeviceSourceError {
        try #require(
            await #expect(throws: DeviceSourceError.self, sourceLocation: sourceLocation) {
                _ = try await self.client.readDevices()
            },
            sourceLocation: sourceLocation
        )
    }

    /// The IDs of one poll.
    func ids() async throws -> [String] {
        try await client.readDevices().map(\.device.id.rawValue)
    }
}

/// The test's time, with sleeps that only end on cancellation: only the code under test sleeps on the clock.
struct EndlessSleeps: TimeSource {
    let clock: TestClock

    var now: TimePoint { clock.now }

    func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
        try await suspendUntilCancelled()
    }
}
