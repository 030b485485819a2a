// SPDX-License-Identifier: MIT

/// The identities and counters of a subject's samples in ten minutes of a stream, used to find the neighbours of a late
/// sample in a shared store. Each subject has a ring of three days of chunks, which does not depend on any clock.
struct HistoryChunk: Sendable, Hashable {
    /// A counter's value in a sample.
    struct Total: Sendable, Hashable {
        var value: Double
        /// Whether its increase is unknown, because no earlier sample is known.
        var isFirst: Bool
    }

    /// A counted sample.
    struct Entry: Sendable, Hashable {
        var sequence: Int64
        /// The time of the sample, in milliseconds since 1970.
        var time: Int64
        var counters: [HistoryQuantity: Total]
    }

    /// The length of a chunk in milliseconds of its stream.
    static let length: Int64 = 600_000
    /// The number of chunks per subject.
    static let slots: Int64 = 432

    var stream: Int64
    var number: Int64
    /// Sorted by sequence.
    var entries: [Entry] = []

    init(of identity: HistoryIdentity) {
        stream = identity.stream
        number = Self.number(of: identity.sequence)
    }

    /// The chunk number of a sample.
    static func number(of sequence: Int64) -> Int64 {
        sequence / length - (sequence % length < 0 ? 1 : 0)
    }

    /// The position of a chunk in the ring.
    static func slot(stream: Int64, number: Int64) -> Int64 {
        let rest = (number &+ stream % slots) % slots
        return rest < 0 ? rest + slots : rest
    }

    var slot: Int64 { Self.slot(stream: stream, number: number) }

    /// Inserts a sample in order.
    /// - Returns: false if it exists already.
    mutating func insert(_ entry: Entry) -> Bool {
        let index = entries.lastIndex { $0.sequence <= entry.sequence }
        if let index, entries[index].sequence == entry.sequence { return false }
        entries.insert(entry, at: index.map { $0 + 1 } ?? 0)
        return true
    }

    // MARK: Bytes

    /// The stored form: stream and number, and for each sample the differences of its sequence and time from the
    /// previous one, and its counters.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(stream)
        bytes.appendLittleEndian(number)
        var (sequence, time) = (number &* Self.length, Int64(0))
        for entry in entries {
            bytes.appendNumber(UInt64(clamping: entry.sequence &- sequence))
            let distance = entry.time &- time
            bytes.appendLittleEndian(distance)
            (sequence, time) = (entry.sequence, entry.time)
            bytes.append(UInt8(clamping: entry.counters.count))
            for (quantity, total) in entry.counters.sorted(by: { $0.key < $1.key }) {
                bytes.append(quantity.rawValue | (total.isFirst ? 0x80 : 0))
                bytes.appendLittleEndian(total.value.bitPattern)
            }
        }
        return bytes
    }

    /// Parses ``bytes`` up to the first damaged entry; nil if the header is missing.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = BytesReader(bytes)
        guard let stream = reader.uint64(), let number = reader.uint64() else { return nil }
        self.stream = Int64(bitPattern: stream)
        self.number = Int64(bitPattern: number)
        var (sequence, time) = (self.number &* Self.length, Int64(0))
        while let distance = reader.number(), let later = reader.uint64(), let count = reader.byte() {
            sequence &+= Int64(clamping: distance)
            time &+= Int64(bitPattern: later)
            var entry = Entry(sequence: sequence, time: time, counters: [:])
            for _ in 0..<count {
                guard let mark = reader.byte(), let value = reader.uint64() else { return }
                guard let quantity = HistoryQuantity(rawValue: mark & 0x7F) else { continue }
                entry.counters[quantity] = Total(value: Double(bitPattern: value), isFirst: mark & 0x80 != 0)
            }
            entries.append(entry)
        }
    }
}
