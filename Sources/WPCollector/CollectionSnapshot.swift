// SPDX-License-Identifier: MIT

public import WPCore
public import WPModel

/// The state after the last collection: immutable, so that readers never see half a cycle.
public struct CollectionSnapshot: Sendable {
    /// The number of completed collections; 0 before the first.
    public var generation: Int
    /// The readings of the last successful collection, one per device, in the server's order; kept while collections
    /// fail.
    public var readings: [DeviceReading]
    /// The last saved energy totals by device, including removed devices.
    public var totals: [DeviceID: EnergyTotal]
    /// The devices restored from the store; empty after the first successful collection.
    package var remembered: [Device]
    /// When the reading of each device last differed from the previous one; initially the time of its first reading.
    /// Contains only the devices in ``readings``.
    package var lastChanges: [DeviceID: TimePoint]
    /// When the last collection ended, successfully or not; nil before the first.
    public var lastEnd: TimePoint?
    /// When the last successful collection ended; nil before the first.
    public var lastSuccess: TimePoint?
    /// When the last collection ended whose totals were all saved; nil before the first.
    public var lastSave: TimePoint?
    /// When totals first remained unsaved because saving failed or hung; nil while all are saved.
    public var unsavedSince: TimePoint?
    /// Why the last collection failed; nil after success. If only saving failed, the reason is `storage` and the
    /// readings are new.
    public var failure: FailureRun?
    /// Whether the last collection reached the server.
    public var reachedServer: Bool
    /// Whether the server accepted the credentials or the token in the last collection.
    public var wasAuthenticated: Bool

    /// Creates a snapshot; the defaults describe the state before the first collection.
    package init(
        generation: Int = 0,
        readings: [DeviceReading] = [],
        totals: [DeviceID: EnergyTotal] = [:],
        remembered: [Device] = [],
        lastChanges: [DeviceID: TimePoint] = [:],
        lastEnd: TimePoint? = nil,
        lastSuccess: TimePoint? = nil,
        lastSave: TimePoint? = nil,
        unsavedSince: TimePoint? = nil,
        failure: FailureRun? = nil,
        reachedServer: Bool = false,
        wasAuthenticated: Bool = false
    ) {
        self.generation = generation
        self.readings = readings
        self.totals = totals
        self.remembered = remembered
        self.lastChanges = lastChanges
        self.lastEnd = lastEnd
        self.lastSuccess = lastSuccess
        self.lastSave = lastSave
        self.unsavedSince = unsavedSince
        self.failure = failure
        self.reachedServer = reachedServer
        self.wasAuthenticated = wasAuthenticated
    }

    /// Whether the readings are too old to be served.
    /// - Parameters:
    ///   - now: the current moment.
    ///   - limit: the maximum age of a reading.
    package func isStale(at now: TimePoint, limit: Duration) -> Bool {
        guard let lastSuccess else { return true }
        return now.since(lastSuccess) > limit
    }
}
