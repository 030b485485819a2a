// SPDX-License-Identifier: MIT

public import WPModel

/// What the last collections came to: an immutable value that readers take whole, so that nobody sees half a cycle.
public struct CollectionSnapshot: Sendable {
    /// Counts the collections that ended, from 1; 0 before the first.
    public var generation: Int
    /// The readings of the last good collection, one per device, in the server's order; kept while collections fail.
    public var readings: [DeviceReading]
    /// Every energy total as it was saved last, by device, those of devices that left included.
    public var totals: [DeviceID: EnergyTotal]
    /// The devices that an earlier process knew, by what was saved of them; empty from the first good collection on.
    public var remembered: [Device]
    /// When a reading of a device last differed from the one before it; of the first reading, when it was taken. Only
    /// of the devices in ``readings``.
    public var lastChanges: [DeviceID: TimePoint]
    /// When the last collection ended, whether it succeeded or not; nil before the first.
    public var lastEnd: TimePoint?
    /// When the last good collection ended; nil before the first.
    public var lastSuccess: TimePoint?
    /// When the last collection ended whose energy totals are all saved; nil before the first.
    public var lastSave: TimePoint?
    /// Since when there have been totals that are not saved: a save fails or hangs. nil while all are saved.
    public var unsavedSince: TimePoint?
    /// Why the last collection failed; nil after a good one. A collection that read everything but could not save
    /// the totals has a failure with the reason `storage`, and its readings are new all the same.
    public var failure: FailureRun?
    /// Whether the last collection reached the server.
    public var reachedServer: Bool
    /// Whether the server accepted the credentials or the token in the last collection.
    public var wasAuthenticated: Bool

    /// Creates a snapshot. Without arguments it is the snapshot of a collector that has not collected yet.
    public init(
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

    /// Whether the readings are too old to be shown.
    /// - Parameters:
    ///   - now: this moment.
    ///   - limit: the greatest age of a reading that is shown.
    public func isStale(at now: TimePoint, limit: Duration) -> Bool {
        guard let lastSuccess else { return true }
        return now.since(lastSuccess) > limit
    }
}
