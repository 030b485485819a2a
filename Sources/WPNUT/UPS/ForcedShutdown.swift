// SPDX-License-Identifier: MIT

/// Whether a primary has begun a forced shutdown of a UPS's machines. It lasts until the mains have been present without
/// interruption for a while, so that every machine sees it that asks in time. A machine that logs in after the mains returned has
/// been started again, and must not be shut down a second time.
struct ForcedShutdown: Sendable {
    private(set) var isSet = false
    /// Since when the mains have been present, and until when that is known.
    private var mains: (since: Duration, last: Duration)?
    /// When the mains were first read as present after ``begin()``.
    private var mainsReturned: Duration?

    /// A primary has begun it.
    /// - Returns: whether that is new: it was not set, or the mains have been back meanwhile.
    mutating func begin() -> Bool {
        let isNew = !isSet || mainsReturned != nil
        self = ForcedShutdown()
        isSet = true
        return isNew
    }

    /// Whether a client shuts down for it.
    /// - Parameter login: when the client logged in; nil for one that is not logged in, which sees it as long as it is set.
    func concerns(clientSince login: Duration?) -> Bool {
        guard isSet, let login, let mainsReturned else { return isSet }
        return login <= mainsReturned
    }

    /// Takes account of a reading.
    /// - Parameters:
    ///   - hasMains: whether it shows that the mains are present.
    ///   - time: when it was taken, by the monotonic clock.
    ///   - hold: how long the mains must be present.
    ///   - maxGap: the longest time between two readings in which the mains count as present.
    /// - Returns: whether the shutdown is over now.
    mutating func note(hasMains: Bool, at time: Duration, hold: Duration, maxGap: Duration) -> Bool {
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

    /// The mains are no longer known to be present.
    mutating func noteUnknown() { mains = nil }
}
