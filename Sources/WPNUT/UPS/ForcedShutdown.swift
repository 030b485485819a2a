// SPDX-License-Identifier: MIT

/// A forced shutdown of a UPS's machines. It lasts until the mains have been present continuously for a while, so that
/// every machine that polls sees it. It does not apply to machines that log in after the mains returned, because they
/// have been restarted.
struct ForcedShutdown: Sendable {
    private(set) var isSet = false
    /// The interval in which the mains are known to have been present.
    private var mains: (since: Duration, last: Duration)?
    /// When the mains were first read as present after ``begin()``.
    private var mainsReturned: Duration?

    /// Starts the shutdown.
    /// - Returns: whether it is new: it was not set, or the mains have returned since.
    mutating func begin() -> Bool {
        let isNew = !isSet || mainsReturned != nil
        self = ForcedShutdown()
        isSet = true
        return isNew
    }

    /// Whether a client must shut down.
    /// - Parameter login: when the client logged in; nil for a client that is not logged in, to which the shutdown
    ///   applies while it is set.
    func applies(toClientSince login: Duration?) -> Bool {
        guard isSet, let login, let mainsReturned else { return isSet }
        return login <= mainsReturned
    }

    /// Records a reading.
    /// - Parameters:
    ///   - hasMains: whether it shows that the mains are present.
    ///   - time: the time of the reading, by the monotonic clock.
    ///   - hold: how long the mains must be present.
    ///   - maxGap: the longest gap between two readings in which the mains are assumed to be present.
    /// - Returns: whether the shutdown has ended.
    mutating func record(hasMains: Bool, at time: Duration, hold: Duration, maxGap: Duration) -> Bool {
        guard isSet, hasMains else {
            mains = nil
            return false
        }
        if mainsReturned == nil { mainsReturned = time }
        if let mains, time - mains.last <= maxGap {
            self.mains = (mains.since, time)
        } else {
            mains = (time, time)
        }
        guard let mains, time - mains.since >= hold else { return false }
        self = ForcedShutdown()
        return true
    }

    /// Records that it is unknown whether the mains are present.
    mutating func recordUnknown() { mains = nil }
}
