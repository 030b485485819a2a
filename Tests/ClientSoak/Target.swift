// SPDX-License-Identifier: MIT

import Synchronization
import WPClient
import WPCore
import WPHTTP
import WPModel
import WPSimulator

/// A simulated server and a client configured like the exporter's.
final class Target: Sendable {
    private static let deviceCount = 45

    /// The system time, which can be advanced to skip a pause.
    private final class MovableTime: TimeSource {
        private let system = SystemTimeSource()
        private let offset = Mutex(Duration.zero)

        var now: TimePoint {
            let now = system.now
            let offset = offset.withLock { $0 }
            return TimePoint(wall: now.wall, monotonic: now.monotonic + offset)
        }

        func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
            try await system.sleep(until: monotonic - offset.withLock { $0 }, tolerance: tolerance)
        }

        func advance(by span: Duration) {
            offset.withLock { $0 += span }
        }
    }

    private let simulator: WinPowerSimulator
    private let client: WinPowerClient
    private let transport: WinPowerConnections
    private let time: MovableTime
    private let password: Password
    private let tls: TLSContext?
    private let port: Int
    private let running: Mutex<Task<Void, any Error>?>

    private final class Password: Sendable {
        let number = Mutex(0)
        var secret: Secret { Secret("password-\(number.withLock { $0 })") }
    }

    /// Starts the server.
    init(tls: TLSContext?, authorityFile: String?) throws {
        let (time, password) = (MovableTime(), Password())
        simulator = WinPowerSimulator(
            configuration: SimulatorConfiguration(
                deviceCount: Self.deviceCount,
                password: password.secret,
                slowDelay: .seconds(2),
                dripInterval: .milliseconds(20),
                oversizedByteCount: 2 << 20
            )
        )
        let server = SimulatorServer(simulator: simulator, configuration: .init(tls: tls))
        try server.bind()
        guard let port = server.port else { throw Soak.Problem("no port") }
        self.port = port
        running = Mutex(Task { try await server.run() })
        self.tls = tls
        self.time = time
        self.password = password
        transport = try WinPowerConnections(
            HTTPClient.Configuration(
                origin: HTTPOrigin(parsing: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"),
                verification: authorityFile.map { .authorities(path: $0) } ?? .system,
                maxBodyBytes: 512 << 10
            )
        )
        client = WinPowerClient(
            configuration: WinPowerClient.Configuration(apiTimeout: .milliseconds(500)),
            transport: transport,
            credentials: { WinPowerCredentials(username: "admin", password: password.secret) },
            timeSource: time
        )
    }

    /// Starts serving again.
    private func start() throws {
        let server = SimulatorServer(simulator: simulator, configuration: .init(port: port, tls: tls))
        try server.bind()
        running.withLock { $0 = Task { try await server.run() } }
    }

    /// Stops serving.
    func stop() async {
        let task = running.withLock { running in
            defer { running = nil }
            return running
        }
        task?.cancel()
        _ = await task?.result
    }

    /// Applies an event and polls.
    /// - Returns: the result of the poll, in a word or two.
    /// - Throws: if the result is unexpected.
    func read(_ event: Event) async throws -> String {
        var expected: FailureReason?
        switch event {
        case .calm:
            break
        case .devices(let scenario):
            simulator.set(scenario: scenario)
        case .failure(let scenario, let reason):
            if scenario == .loginRefused { simulator.expireTokens() }
            simulator.set(scenario: scenario)
            expected = reason
        case .tokensExpire:
            simulator.expireTokens()
        case .passwordChanges:
            password.number.withLock { $0 += 1 }
            simulator.set(password: password.secret)
            simulator.expireTokens()
        case .restart:
            await stop()
            expected = .connect
        }
        let reason: FailureReason?
        do {
            let readings = try await client.readDevices()
            guard readings.count == Self.deviceCount else { throw Soak.Problem("\(readings.count) devices were read") }
            reason = nil
        } catch let error as DeviceSourceError {
            reason = error.reason
        }
        guard reason == expected else {
            throw Soak.Problem("\(event) ended with \(reason?.rawValue ?? "success")")
        }
        if case .restart = event { try start() }
        // Skips the pause after a failed login.
        if [.auth, .http, .decode].contains(reason) { time.advance(by: .seconds(1200)) }
        simulator.set(scenario: .normal)
        return reason?.rawValue ?? "success"
    }
}
