// SPDX-License-Identifier: MIT

/// Aggregates samples of one subject from several programs into buckets: each sample once, and counter increases
/// between neighbours, in any order. A late sample splits the increase between its neighbours.
struct HistoryFold {
    /// The position up to which samples are counted.
    private(set) var position: HistoryPosition
    /// The time of the newest sample, in seconds since 1970.
    private(set) var lastSample: Double
    /// The counters of the newest sample that had them.
    private(set) var counters: [HistoryQuantity: Double]
    /// The results by bucket start, to be merged with the stored buckets. A bucket without samples only moves increases
    /// between stored ones.
    private(set) var buckets: [Int64: HistoryBucket] = [:]
    /// The loaded chunks, by slot.
    private(set) var chunks: [Int64: HistoryChunk]
    /// The slots of the changed chunks.
    private(set) var changed: Set<Int64> = []

    init(position: HistoryPosition, lastSample: Double, counters: [HistoryQuantity: Double], chunks: [HistoryChunk]) {
        self.position = position
        self.lastSample = lastSample
        self.counters = counters
        self.chunks = chunks.reduce(into: [:]) { $0[$1.slot] = $1 }
    }

    /// The slots to load for some samples: their own and the neighbouring ones.
    static func slots(for samples: [HistorySample]) -> Set<Int64> {
        var slots: Set<Int64> = []
        for sample in samples {
            let number = HistoryChunk.number(of: sample.identity.sequence)
            for adjacent in [number &- 1, number, number &+ 1] {
                slots.insert(HistoryChunk.slot(stream: sample.identity.stream, number: adjacent))
            }
        }
        return slots
    }

    /// Whether the whole ring must be loaded: a late sample has neighbours beyond the loaded chunks.
    func needsAll(_ samples: [HistorySample]) -> Bool {
        samples.contains { sample in
            guard !sample.counters.isEmpty, !position.isNewest(sample.identity) else { return false }
            let stream = chunks.values.filter { $0.stream == sample.identity.stream }.flatMap(\.entries)
            return !stream.contains { $0.sequence < sample.identity.sequence }
                || !stream.contains { $0.sequence >= sample.identity.sequence }
        }
    }

    /// Adds samples in the order in which a program received them.
    /// - Parameter seconds: the length of a bucket.
    mutating func add(_ samples: [HistorySample], seconds: Int64) {
        for sample in samples { add(sample, seconds) }
    }

    private mutating func add(_ sample: HistorySample, _ seconds: Int64) {
        let identity = sample.identity
        guard position.identity != identity else { return }
        let isNewest = position.isNewest(identity)
        guard var chunk = chunk(for: identity, isNewest) else { return }
        var entry = HistoryChunk.Entry(sequence: identity.sequence, time: sample.time, counters: [:])
        guard !chunk.entries.contains(where: { $0.sequence == identity.sequence }) else { return }
        var bucket = HistoryBucket(start: Self.start(of: sample.time, seconds), seconds: seconds, samples: 1)
        for (quantity, value) in sample.values.sorted(by: { $0.key < $1.key }) {
            bucket.add(.init(quantity, Double(value)))
        }
        for (quantity, total) in sample.counters {
            if isNewest || counters[quantity] == nil {
                if let before = counters[quantity] { bucket.addGrowth(of: quantity, from: before, to: total) }
                entry.counters[quantity] = .init(value: total, isFirst: counters[quantity] == nil)
                counters[quantity] = total
            } else {
                entry.counters[quantity] = divide(quantity, total, identity, seconds, &bucket)
            }
        }
        merge(bucket)
        // Dividing may have changed a neighbour in the same chunk.
        if let known = chunks[chunk.slot], known.stream == chunk.stream, known.number == chunk.number { chunk = known }
        _ = chunk.insert(entry)
        chunks[chunk.slot] = chunk
        changed.insert(chunk.slot)
        if isNewest {
            position.advance(to: identity)
            lastSample = Double(sample.time) / 1000
        }
    }

    /// The chunk of a sample; nil if it was overwritten, in which case the sample is a duplicate or too late.
    private func chunk(for identity: HistoryIdentity, _ isNewest: Bool) -> HistoryChunk? {
        let own = HistoryChunk(of: identity)
        if let known = chunks[own.slot] {
            if known.stream == own.stream, known.number == own.number { return known }
            return isNewest ? own : nil
        }
        if isNewest { return own }
        let newest = HistoryChunk.number(of: position.sequence)
        return identity.stream != position.streams.last || newest &- own.number < HistoryChunk.slots ? own : nil
    }

    /// Divides the increase of a counter between the neighbours of a late sample.
    /// - Returns: the counter's state to store; nil if the sample cannot be between them.
    private mutating func divide(
        _ quantity: HistoryQuantity,
        _ total: Double,
        _ identity: HistoryIdentity,
        _ seconds: Int64,
        _ bucket: inout HistoryBucket
    ) -> HistoryChunk.Total? {
        let before = neighbour(of: identity, with: quantity, isLater: false)?.total.value
        guard let after = neighbour(of: identity, with: quantity, isLater: true) else {
            // No later sample contains this counter.
            if let known = counters[quantity] { bucket.addGrowth(of: quantity, from: known, to: total) }
            counters[quantity] = total
            return .init(value: total, isFirst: false)
        }
        if identity.stream == 0, !Self.isPossible(total, between: before, and: after.total.value) {
            // The sender's clock was set back at an unknown time. A later sample contains the increase.
            bucket.add(.init(quantity, 0))
            return nil
        }
        guard before != nil || after.total.isFirst else {
            bucket.add(.init(quantity, 0))
            return nil
        }
        func growth(_ from: Double, _ to: Double) -> Double { to >= from ? to - from : 0 }
        if let before, total >= before { bucket.add(.init(quantity, total - before)) }
        let moved = growth(total, after.total.value) - (before.map { growth($0, after.total.value) } ?? 0)
        let start = Self.start(of: after.time, seconds)
        merge(
            HistoryBucket(
                start: start,
                seconds: seconds,
                samples: 0,
                aggregates: [
                    .init(quantity, count: after.total.isFirst ? 1 : 0, average: moved, minimum: 0, maximum: 0)
                ]
            )
        )
        if after.total.isFirst {
            chunks[after.slot]?.entries[after.index].counters[quantity]?.isFirst = false
            changed.insert(after.slot)
        }
        return .init(value: total, isFirst: after.total.isFirst)
    }

    /// Whether a counter could have had a value between two others: it increased between them, or was reset once.
    private static func isPossible(_ total: Double, between before: Double?, and after: Double) -> Bool {
        guard let before else { return total <= after }
        return before <= after ? before <= total && total <= after : total >= before || total <= after
    }

    /// The next sample with a counter.
    private func neighbour(
        of identity: HistoryIdentity,
        with quantity: HistoryQuantity,
        isLater: Bool
    ) -> (total: HistoryChunk.Total, time: Int64, slot: Int64, index: Int)? {
        func order(_ chunk: HistoryChunk) -> (Int, Int64) { (position.rank(of: chunk.stream) ?? -1, chunk.number) }
        let own = order(HistoryChunk(of: identity))
        let near = chunks.values.filter { isLater ? order($0) >= own : order($0) <= own }
            .sorted { isLater ? order($0) < order($1) : order($0) > order($1) }
        for chunk in near {
            let isOwn = order(chunk) == own
            let indices = chunk.entries.indices.filter { index in
                let sequence = chunk.entries[index].sequence
                return !isOwn || (isLater ? sequence > identity.sequence : sequence < identity.sequence)
            }
            for index in isLater ? Array(indices) : indices.reversed() {
                if let total = chunk.entries[index].counters[quantity] {
                    return (total, chunk.entries[index].time, chunk.slot, index)
                }
            }
        }
        return nil
    }

    private mutating func merge(_ bucket: HistoryBucket) {
        if buckets[bucket.start] == nil { buckets[bucket.start] = bucket } else { buckets[bucket.start]?.merge(bucket) }
    }

    private static func start(of milliseconds: Int64, _ seconds: Int64) -> Int64 {
        HistoryBucket.start(of: milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0), step: seconds)
    }

    // MARK: States

    /// Accepts a program's state of the subject if it is newer. Used if the batch contains no samples of the subject.
    mutating func learn(_ state: HistorySubjectState) {
        guard position.identity != state.identity, position.isNewest(state.identity) else { return }
        position.advance(to: state.identity)
        lastSample = state.lastSample
        if !state.counters.isEmpty { counters = state.counters }
    }

    /// Whether a program's last report is the newest.
    func isNewest(_ state: HistorySubjectState) -> Bool { position.isNewest(state.identity) }
}
