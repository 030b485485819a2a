// SPDX-License-Identifier: MIT

/// The position up to which a subject's samples are counted: the streams in order of appearance, and the last sample of
/// the newest one. This orders samples without a clock.
struct HistoryPosition: Sendable, Hashable {
    /// The maximum number of tracked streams.
    static let maxStreams = 16

    /// Oldest first.
    private(set) var streams: [Int64] = []
    private(set) var sequence: Int64 = .min

    init() {}

    /// Whether a sample is the last one, or later than it.
    func isNewest(_ identity: HistoryIdentity) -> Bool {
        guard streams.contains(identity.stream) else { return true }
        return identity.stream == streams.last && identity.sequence >= sequence
    }

    /// Advances to a newer sample.
    mutating func advance(to identity: HistoryIdentity) {
        if !streams.contains(identity.stream) {
            if streams.count == Self.maxStreams { streams.removeFirst() }
            streams.append(identity.stream)
        }
        sequence = identity.sequence
    }

    /// The last sample; nil before the first.
    var identity: HistoryIdentity? { streams.last.map { HistoryIdentity(stream: $0, sequence: sequence) } }

    /// The rank of a stream; nil if it is not tracked.
    func rank(of stream: Int64) -> Int? { streams.firstIndex(of: stream) }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(sequence)
        for stream in streams { bytes.appendLittleEndian(stream) }
        return bytes
    }

    /// Parses ``bytes``.
    init(_ bytes: UnsafeRawBufferPointer) {
        var reader = BytesReader(bytes)
        guard let sequence = reader.uint64() else { return }
        self.sequence = Int64(bitPattern: sequence)
        while streams.count < Self.maxStreams, let stream = reader.uint64() {
            streams.append(Int64(bitPattern: stream))
        }
    }
}
