// SPDX-License-Identifier: MIT

/// The bounded state for detecting duplicate samples of a subject.
struct SeenIdentities: Sendable {
    /// The maximum number of tracked runs of a sender: reports of earlier runs may still arrive.
    private static let maxStreams = 8
    /// The maximum number of tracked times of a sender without sequence numbers, as many as it buffers during an
    /// outage.
    private static let maxTimes = 128

    private var streams: [HistoryIdentity] = []
    private var times: [Int64] = []

    /// Records a sample.
    /// - Returns: whether it is new. A numbered sample is new if its number exceeds all earlier ones of its stream;
    ///   others are new if their time is not tracked.
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
        if times.count == Self.maxTimes { times.removeFirst() }
        times.append(identity.sequence)
        return true
    }
}
