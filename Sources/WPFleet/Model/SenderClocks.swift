// SPDX-License-Identifier: MIT

import WPCore

/// The estimated clocks of all senders.
struct SenderClocks {
    /// How long a clock is remembered after the sender's last report.
    private static let retention = Duration.seconds(86_400)
    /// The maximum number of remembered senders without an accepted report.
    private static let maxUnknown = 1000
    /// The interval at which this machine's clock is compared with those of its senders.
    private static let comparisonInterval = Duration.seconds(10)
    /// Only senders that reported within this time are compared.
    private static let comparedAge = Duration.seconds(600)
    /// This machine's clock is wrong if the skew of every compared sender is greater than this, in seconds.
    private static let minimumSkew = 60.0

    private var clocks: [ByteString: SenderClock] = [:]
    private var lastComparison: Duration?

    /// The clock of a sender; nil if it is not remembered.
    subscript(sender: String) -> SenderClock? { clocks[ByteString(sender)] }

    /// How far the clocks are ahead, in seconds, by sender.
    var skews: [ByteString: Double] { clocks.filter(\.value.isKnown).mapValues(\.skew) }

    /// Remembers the clock of a sender.
    /// - Parameter isAccepted: whether its report was accepted. Other senders may have invented their names.
    mutating func record(_ clock: SenderClock, of sender: String, isAccepted: Bool) {
        var clock = clock
        clock.isKnown = isAccepted || clock.isKnown
        guard clock.isKnown || self[sender] != nil || clocks.count < Self.maxUnknown else { return }
        clocks[ByteString(sender)] = clock
    }

    /// Whether this machine's clock should be compared with ``commonSkew(at:)``. If so, forgets silent senders.
    mutating func isComparisonDue(at now: Duration) -> Bool {
        if let lastComparison, now - lastComparison < Self.comparisonInterval { return false }
        lastComparison = now
        clocks = clocks.filter { now - $1.heard < Self.retention }
        return true
    }

    /// The median skew if all senders agree that this machine's clock is wrong; nil otherwise.
    func commonSkew(at now: Duration) -> Double? {
        let skews = clocks.values.filter { $0.isKnown && now - $0.heard < Self.comparedAge }.map(\.skew).sorted()
        // A single sender's own clock may be wrong.
        let agree = skews.count > 1 && skews.allSatisfy { abs($0) > Self.minimumSkew }
        let oneWay = skews.allSatisfy { $0 > 0 } || skews.allSatisfy { $0 < 0 }
        return agree && oneWay ? skews[skews.count / 2] : nil
    }
}
