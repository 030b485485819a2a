// SPDX-License-Identifier: MIT

/// What is remembered of one subject's samples to recognise repeats. It is bounded.
struct SeenIdentities: Sendable {
    /// How many runs of a sender are remembered: a report of an earlier one may still be on its way.
    private static let maxStreams = 8
    /// How many times of a sender without numbers are remembered, as many as such a sender keeps during an outage.
    private static let maxTimes = 128

    private var streams: [HistoryIdentity] = []
    private var times: [Int64] = []
    /// Where the next time goes once there are ``maxTimes``.
    private var oldest = 0

    /// Notes a sample.
    /// - Returns: whether it is new. A numbered sample is new when its number is greater than all before it of its stream; any
    ///   other when its time is none of those remembered.
    mutating func insert(_ identity: HistoryIdentity) -> Bool {
        guard identity.stream == 0 else {
            guard let index = streams.firstIndex(where: { $0.stream == identity.stream }) else {
                if streams.count == Self.maxStreams { streams.removeFirst() }
                streams.append(identity)
                return true
            }
            guard identity.sequence > streams[index].sequence else { return false }
            streams[index] = identity
            return true
        }
        guard !times.contains(identity.sequence) else { return false }
        if times.count < Self.maxTimes {
            times.append(identity.sequence)
        } else {
            times[oldest] = identity.sequence
            oldest = (oldest + 1) % Self.maxTimes
        }
        return true
    }
}
