// SPDX-License-Identifier: MIT

/// Joins samples of one subject, which several programs may have taken, to buckets: each sample once, and the growth of a
/// counter once, in whatever order they come.
struct HistoryFold {
    /// The span of the grid in which samples that were seen are noted, in seconds.
    static let slotSeconds: Int64 = 600

    /// When the latest sample was taken that is in a bucket, in seconds since 1970.
    private(set) var lastSample: Double
    /// The counters at that sample.
    private(set) var counters: [HistoryQuantity: Double]
    /// What the samples came to, by the starts of the buckets: to be merged with what is stored.
    private(set) var buckets: [Int64: HistoryBucket] = [:]
    /// The identities of samples that are in buckets, by the start of the span that they lie in, in seconds.
    private(set) var seen: [Int64: Set<Int64>]
    /// Before this the store has forgotten what it has seen: then only what is later than ``lastSample`` counts.
    private let remembered: Int64

    /// - Parameters:
    ///   - seen: what is known of the spans that the samples lie in.
    ///   - remembered: from when on that is complete, in seconds since 1970.
    init(
        lastSample: Double,
        counters: [HistoryQuantity: Double],
        seen: [Int64: Set<Int64>],
        remembered: Int64
    ) {
        self.lastSample = lastSample
        self.counters = counters
        self.seen = seen
        self.remembered = remembered
    }

    /// The start of the span that a sample is noted in.
    static func slot(of identity: Int64) -> Int64 {
        HistoryBucket.start(of: identity / 1000, step: slotSeconds)
    }

    /// Adds samples.
    /// - Parameter seconds: the length of a bucket.
    mutating func add(_ samples: [HistorySample], seconds: Int64) {
        for sample in samples.sorted(by: { $0.time < $1.time }) { add(sample, seconds) }
    }

    private mutating func add(_ sample: HistorySample, _ seconds: Int64) {
        let slot = Self.slot(of: sample.identity)
        let time = Double(sample.time) / 1000
        guard slot >= remembered || time > lastSample else { return }
        guard seen[slot, default: []].insert(sample.identity).inserted else { return }
        let start = HistoryBucket.start(of: Int64(time.rounded(.down)), step: seconds)
        var bucket = buckets[start] ?? HistoryBucket(start: start, seconds: seconds, samples: 0)
        bucket.samples += 1
        for (quantity, value) in sample.values { bucket.add(.init(quantity, Double(value))) }
        for (quantity, total) in sample.counters {
            guard let before = counters[quantity] else {
                counters[quantity] = total
                continue
            }
            // What lies between two samples that are known is counted already.
            guard time > lastSample else {
                bucket.add(.init(quantity, 0))
                continue
            }
            bucket.addGrowth(of: quantity, from: before, to: total)
            counters[quantity] = total
        }
        lastSample = max(lastSample, time)
        buckets[start] = bucket
    }
}

/// The identities of samples in one span, as shared stores keep them: the distances between them in milliseconds, each as
/// a LEB128 number, from the start of the span.
enum SeenBytes {
    static func bytes(_ identities: Set<Int64>, slot: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        var last = slot * 1000
        for identity in identities.sorted() {
            bytes.appendNumber(UInt64(clamping: identity - last))
            last = identity
        }
        return bytes
    }

    static func identities(_ bytes: [UInt8], slot: Int64) -> Set<Int64> {
        bytes.withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            var identities: Set<Int64> = []
            var last = slot * 1000
            while let distance = reader.number() {
                last += Int64(clamping: distance)
                identities.insert(last)
            }
            return identities
        }
    }
}
