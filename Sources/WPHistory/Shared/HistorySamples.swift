// SPDX-License-Identifier: MIT

/// One sample as a shared store takes it.
package struct HistorySample: Sendable, Equatable {
    /// What tells it from others of its subject. Whichever program takes a report, a repeat has the same.
    package var identity: HistoryIdentity
    /// When it was taken, in milliseconds since 1970.
    package var time: Int64
    /// Values, of quantities that are no counters.
    package var values: [HistoryQuantity: Float]
    /// Counters.
    package var counters: [HistoryQuantity: Double]

    /// Creates a sample.
    package init(
        identity: HistoryIdentity,
        time: Int64,
        values: [HistoryQuantity: Float] = [:],
        counters: [HistoryQuantity: Double] = [:]
    ) {
        self.identity = identity
        self.time = time
        self.values = values
        self.counters = counters
    }
}

/// Samples of one subject, packed: many of them may wait for a database that does not answer.
package struct HistorySamples: Sendable {
    /// The subject.
    package let subject: HistorySubject
    /// The length of the buckets that they belong to, in seconds.
    package let seconds: Int64
    /// How many there are.
    package private(set) var count = 0
    /// For each: stream, sequence, time, the number of values, and these with the numbers of their quantities in front.
    private var bytes: [UInt8] = []

    /// Creates an empty list.
    package init(subject: HistorySubject, seconds: Int64) {
        self.subject = subject
        self.seconds = seconds
    }

    /// About what it takes in memory, in bytes.
    var size: Int { bytes.count + 160 }

    /// Adds a sample. Values that are no numbers are left out.
    package mutating func append(
        identity: HistoryIdentity,
        time: Int64,
        values: [(quantity: HistoryQuantity, value: Double)],
        counters: [(quantity: HistoryQuantity, total: Double)]
    ) {
        let values = values.filter { Float($0.value).isFinite && !$0.quantity.isCounter }
        let counters = counters.filter { $0.total.isFinite && $0.quantity.isCounter }
        bytes.appendLittleEndian(identity.stream)
        bytes.appendLittleEndian(identity.sequence)
        bytes.appendLittleEndian(time)
        bytes.append(UInt8(clamping: values.count + counters.count))
        for (quantity, value) in values {
            bytes.append(quantity.rawValue)
            bytes.appendLittleEndian(Float(value).bitPattern)
        }
        for (quantity, total) in counters {
            bytes.append(quantity.rawValue)
            bytes.appendLittleEndian(total.bitPattern)
        }
        count += 1
    }

    /// The samples, in the order in which they were added.
    package var all: [HistorySample] {
        bytes.withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            var samples: [HistorySample] = []
            samples.reserveCapacity(count)
            while let stream = reader.uint64(), let sequence = reader.uint64(), let time = reader.uint64(),
                let number = reader.byte()
            {
                var sample = HistorySample(
                    identity: HistoryIdentity(
                        stream: Int64(bitPattern: stream),
                        sequence: Int64(bitPattern: sequence)
                    ),
                    time: Int64(bitPattern: time)
                )
                for _ in 0..<number {
                    guard let quantity = reader.byte().flatMap(HistoryQuantity.init) else { break }
                    if quantity.isCounter {
                        sample.counters[quantity] = reader.uint64().map(Double.init(bitPattern:))
                    } else {
                        sample.values[quantity] = reader.float().map { Float($0) }
                    }
                }
                samples.append(sample)
            }
            return samples
        }
    }
}
