// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPModel

extension WinPowerSimulator {
    /// Changes the scenario.
    public func set(scenario: Scenario) {
        let now = seconds(at: timeSource.now)
        state.withLock { $0.fleet.change(to: scenario, at: now) }
    }

    /// Plays scenarios in order, each for its duration, and stays in the last one.
    /// - Throws: `CancellationError` if cancelled before the end of the last duration.
    package func play(_ steps: [(scenario: Scenario, duration: Duration)]) async throws {
        for step in steps {
            set(scenario: step.scenario)
            try await timeSource.sleep(for: step.duration)
        }
    }

    /// The current scenario.
    package var scenario: Scenario { state.withLock { $0.fleet.scenario } }

    /// Changes the password. Tokens stay valid.
    package func set(password: Secret) {
        state.withLock { $0.password = password }
    }

    /// Invalidates all tokens.
    public func expireTokens() {
        state.withLock { $0.tokens.revokeAll() }
    }

    /// Invalidates one token.
    package func revoke(_ token: Secret) {
        state.withLock { $0.tokens.revoke(token.reveal()) }
    }

    /// The number of valid tokens.
    package var validTokens: Int {
        let now = timeSource.now
        return state.withLock { $0.tokens.count(at: now) }
    }

    /// The counters of requests and replies.
    public var counters: SimulatorCounters { state.withLock { $0.counters } }
}

extension WinPowerSimulator {
    /// The listed UPSes, in order.
    public var deviceIDs: [DeviceID] { state.withLock { $0.fleet.deviceIDs } }

    /// Renames a device; like the functions below, does nothing if there is no such device.
    package func rename(_ id: DeviceID, to alias: String) {
        state.withLock { $0.fleet.update(id) { $0.alias = alias } }
    }

    /// Adds a UPS at the end of the list.
    /// - Parameter alias: its name; nil for a default name.
    /// - Returns: its identifier, which depends only on the seed and the number of devices before it.
    @discardableResult
    package func addDevice(alias: String? = nil) -> DeviceID {
        let now = seconds(at: timeSource.now)
        return state.withLock { $0.fleet.add(alias: alias, at: now) }
    }

    /// Removes a device from the list. Its load continues; the device can be restored.
    package func removeDevice(_ id: DeviceID) {
        state.withLock { $0.fleet.update(id) { $0.isListed = false } }
    }

    /// Restores a removed device at its position in the list.
    package func restoreDevice(_ id: DeviceID) {
        state.withLock { $0.fleet.update(id) { $0.isListed = true } }
    }

    /// Sets whether WinPower can reach a device. If not, the last values are repeated.
    package func set(connected: Bool, for id: DeviceID) {
        let now = seconds(at: timeSource.now)
        state.withLock { state in
            state.fleet.update(id) { device in
                device.unreachableSince = connected ? nil : device.unreachableSince ?? now
            }
        }
    }

    /// Sets a device's load curve, with the current time as its time 0.
    public func set(load: LoadCurve, for id: DeviceID) {
        let now = seconds(at: timeSource.now)
        state.withLock { $0.fleet.update(id) { $0.load.follow(load, from: now) } }
    }

    /// The power of a device's load in watts at a monotonic time, before the rounding of `loadTotalWatt`; nil if there
    /// is no such device.
    public func power(of id: DeviceID, at time: TimePoint) -> Double? {
        state.withLock { $0.fleet.load(of: id) }?.watts(at: seconds(at: time))
    }

    /// A device's rating in watts; nil if there is no such device.
    package func ratedWatts(of id: DeviceID) -> Double? {
        state.withLock { $0.fleet.ratedWatts(of: id) }
    }

    /// A device's battery charge in percent at a monotonic time; nil if there is no such device.
    package func charge(of id: DeviceID, at time: TimePoint) -> Double? {
        state.withLock { $0.fleet.charge(of: id, at: seconds(at: time)) }
    }

    /// The exact energy of a device's load in joules between two monotonic times; nil if there is no such device.
    public func energy(of id: DeviceID, from start: TimePoint, to end: TimePoint) -> Double? {
        state.withLock { $0.fleet.load(of: id) }?.joules(from: seconds(at: start), to: seconds(at: end))
    }
}

extension WinPowerSimulator {
    /// Freezes every device's load at a whole number of watts, so that energy is easy to calculate.
    package func holdLoads() {
        let now = timeSource.now
        for id in deviceIDs {
            set(load: .constant(watts: (power(of: id, at: now) ?? 0).rounded()), for: id)
        }
    }
}

/// The requests and replies of a simulated server since its start.
public struct SimulatorCounters: Sendable, Hashable {
    /// All requests.
    package internal(set) var requests = 0
    /// Successful logins.
    public internal(set) var logins = 0
    /// Logins with wrong credentials.
    package internal(set) var rejectedLogins = 0
    /// Device requests without a valid token.
    package internal(set) var rejectedTokens = 0
    /// Pages of the device list.
    public internal(set) var pages = 0
}
