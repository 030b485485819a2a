// SPDX-License-Identifier: MIT

/// How far the samples of a subject are counted: the streams in the order in which they appeared, and the last sample of the
/// newest. That is the order of samples, which needs no clock.
struct HistoryPosition: Sendable, Hashable {
    /// How many streams are remembered.
    static let maxStreams = 16

    /// The newest is the last.
    private(set) var streams: [Int64] = []
    private(set) var sequence: Int64 = .min

    init() {}

    /// Whether a sample is later than all before, or the last one.
    func isNewest(_ identity: HistoryIdentity) -> Bool {
        guard streams.contains(identity.stream) else { return true }
        return identity.stream == streams.last && identity.sequence >= sequence
    }

    /// Advances to a sample that is the newest.
    mutating func advance(to identity: HistoryIdentity) {
        if !streams.contains(identity.stream) {
            if streams.count == Self.maxStreams { streams.removeFirst() }
            streams.append(identity.stream)
        }
        sequence = identity.sequence
    }

    /// The last sample; nil before the first.
    var identity: HistoryIdentity? { streams.last.map { HistoryIdentity(stream: $0, sequence: sequence) } }

    /// The rank of a stream; nil when it is not remembered.
    func rank(of stream: Int64) -> Int? { streams.firstIndex(of: stream) }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(sequence)
        for stream in streams { bytes.appendLittleEndian(stream) }
        return bytes
    }

    /// Reads what ``bytes`` wrote.
    init(_ bytes: UnsafeRawBufferPointer) {
        var reader = BytesReader(bytes)
        guard let sequence = reader.uint64() else { return }
        self.sequence = Int64(bitPattern: sequence)
        while streams.count < Self.maxStreams, let stream = reader.uint64() {
            streams.append(Int64(bitPattern: stream))
        }
    }
}
