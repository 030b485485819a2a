// SPDX-License-Identifier: MIT

/// What a shared store remembers of the samples of one subject in ten minutes of a stream: which they were, and their counters,
/// so that a sample which comes late finds its neighbours. Each subject has a ring of them, three days long, which no clock
/// clears.
struct HistoryChunk: Sendable, Hashable {
    /// A counter at a sample.
    struct Total: Sendable, Hashable {
        var value: Double
        /// Whether no sample is known from which it grew.
        var isFirst: Bool
    }

    /// A sample that was counted.
    struct Entry: Sendable, Hashable {
        var sequence: Int64
        /// When it was taken, in milliseconds since 1970.
        var time: Int64
        var counters: [HistoryQuantity: Total]
    }

    /// The length of a chunk in milliseconds of its stream.
    static let length: Int64 = 600_000
    /// How many chunks a subject has.
    static let slots: Int64 = 432

    var stream: Int64
    var number: Int64
    /// By sequence.
    var entries: [Entry] = []

    init(of identity: HistoryIdentity) {
        stream = identity.stream
        number = Self.number(of: identity.sequence)
    }

    /// The number of the chunk that a sample belongs to.
    static func number(of sequence: Int64) -> Int64 {
        sequence / length - (sequence % length < 0 ? 1 : 0)
    }

    /// Where a chunk lies in the ring.
    static func slot(stream: Int64, number: Int64) -> Int64 {
        let rest = (number &+ stream % slots) % slots
        return rest < 0 ? rest + slots : rest
    }

    var slot: Int64 { Self.slot(stream: stream, number: number) }

    /// Adds a sample in its place.
    /// - Returns: false when it is there already.
    mutating func insert(_ entry: Entry) -> Bool {
        let index = entries.lastIndex { $0.sequence <= entry.sequence }
        if let index, entries[index].sequence == entry.sequence { return false }
        entries.insert(entry, at: index.map { $0 + 1 } ?? 0)
        return true
    }

    // MARK: Bytes

    /// As stores keep it: stream and number, and for each sample the distance of its sequence and of its time from the one
    /// before, and its counters.
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

    /// Reads what ``bytes`` wrote, up to where it is damaged; nil without a head.
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
