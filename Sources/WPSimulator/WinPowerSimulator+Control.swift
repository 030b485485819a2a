// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

extension WinPowerSimulator {
    /// Changes what happens from now on.
    public func set(scenario: Scenario) {
        let now = seconds(at: timeSource.now)
        state.withLock { $0.fleet.change(to: scenario, at: now) }
    }

    /// Goes through scenarios, each for its time, and stays in the last one.
    /// - Throws: `CancellationError` when it is cancelled before the last one's time is over.
    package func play(_ steps: [(scenario: Scenario, duration: Duration)]) async throws {
        for step in steps {
            set(scenario: step.scenario)
            try await clock.sleep(for: step.duration)
        }
    }

    /// What happens now.
    package var scenario: Scenario { state.withLock { $0.fleet.scenario } }

    /// Changes the password. Tokens stay good.
    package func set(password: Secret) {
        state.withLock { $0.password = password }
    }

    /// Makes every token invalid.
    public func expireTokens() {
        state.withLock { $0.tokens.revokeAll() }
    }

    /// Makes one token invalid, if it was not already.
    package func revoke(_ token: Secret) {
        state.withLock { $0.tokens.revoke(token.reveal()) }
    }

    /// The number of tokens that are accepted now.
    package var validTokens: Int {
        let now = timeSource.now
        return state.withLock { $0.tokens.count(at: now) }
    }

    /// What was asked and answered so far.
    public var counters: SimulatorCounters { state.withLock { $0.counters } }
}

extension WinPowerSimulator {
    /// The UPSes that are listed, in the list's order.
    public var deviceIDs: [DeviceID] { state.withLock { $0.fleet.deviceIDs } }

    /// Gives a device another name; does nothing when there is no such device, as do the functions after it.
    package func rename(_ id: DeviceID, to alias: String) {
        state.withLock { $0.fleet.update(id) { $0.alias = alias } }
    }

    /// Adds a UPS at the end of the list.
    /// - Parameter alias: its name; nil for one like those of the others.
    /// - Returns: its identifier, the same for the same seed and the same number of devices before it.
    @discardableResult
    package func addDevice(alias: String? = nil) -> DeviceID {
        let now = seconds(at: timeSource.now)
        return state.withLock { $0.fleet.add(alias: alias, at: now) }
    }

    /// Takes a device out of the list. Its load continues; the device can be restored.
    package func removeDevice(_ id: DeviceID) {
        state.withLock { $0.fleet.update(id) { $0.isListed = false } }
    }

    /// Puts a removed device back to its place in the list.
    package func restoreDevice(_ id: DeviceID) {
        state.withLock { $0.fleet.update(id) { $0.isListed = true } }
    }

    /// Sets whether WinPower reaches a device. While it does not, the last values are repeated.
    package func set(connected: Bool, for id: DeviceID) {
        let now = seconds(at: timeSource.now)
        state.withLock { state in
            state.fleet.update(id) { device in
                device.outOfReachSince = connected ? nil : device.outOfReachSince ?? now
            }
        }
    }

    /// Lets a device's load follow another curve from now on, which is the curve's time 0.
    public func set(load: LoadCurve, for id: DeviceID) {
        let now = seconds(at: timeSource.now)
        state.withLock { $0.fleet.update(id) { $0.load.follow(load, from: now) } }
    }

    /// What a device's load draws at a time, in watts, before the rounding of `loadTotalWatt`; nil when there is no
    /// such device. Only monotonic time counts.
    public func power(of id: DeviceID, at time: TimePoint) -> Double? {
        state.withLock { $0.fleet.load(of: id) }?.watts(at: seconds(at: time))
    }

    /// What a device can give, in watts; nil when there is no such device.
    package func ratedWatts(of id: DeviceID) -> Double? {
        state.withLock { $0.fleet.ratedWatts(of: id) }
    }

    /// How full a device's battery is at a time, in percent; nil when there is no such device. Only monotonic time counts.
    package func charge(of id: DeviceID, at time: TimePoint) -> Double? {
        state.withLock { $0.fleet.charge(of: id, at: seconds(at: time)) }
    }

    /// What a device's load draws between two times, in joules, exactly; nil when there is no such device. Only
    /// monotonic time counts.
    public func energy(of id: DeviceID, from start: TimePoint, to end: TimePoint) -> Double? {
        state.withLock { $0.fleet.load(of: id) }?.joules(from: seconds(at: start), to: seconds(at: end))
    }
}

extension WinPowerSimulator {
    /// Keeps every device's load at what it is now, in whole watts, so that energy can be reckoned by hand.
    package func holdLoads() {
        let now = SystemTimeSource().now
        for id in deviceIDs {
            set(load: .constant(watts: (power(of: id, at: now) ?? 0).rounded()), for: id)
        }
    }
}

/// What a simulated server was asked and how it answered, counted since its start.
public struct SimulatorCounters: Sendable, Hashable {
    /// Requests, whatever for.
    package internal(set) var requests = 0
    /// Logins that gave a token.
    public internal(set) var logins = 0
    /// Logins refused for their credentials.
    package internal(set) var refusedLogins = 0
    /// Requests for devices that had no valid token.
    package internal(set) var refusedTokens = 0
    /// Pages of the device list.
    public internal(set) var pages = 0
}
