// SPDX-License-Identifier: MIT

/// A sample for a shared store.
package struct HistorySample: Sendable, Equatable {
    /// Identifies the sample among those of its subject. A duplicate has the same identity, whichever program receives
    /// the report.
    package var identity: HistoryIdentity
    /// The time of the sample, in milliseconds since 1970.
    package var time: Int64
    /// Values of quantities that are not counters.
    package var values: [HistoryQuantity: Float]
    /// The values of counters.
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

/// Packed samples of one subject: many samples may be pending while the database is unreachable.
package struct HistorySamples: Sendable {
    /// The subject.
    package let subject: HistorySubject
    /// The length of the buckets, in seconds.
    package let seconds: Int64
    /// The number of samples.
    package private(set) var count = 0
    /// For each: stream, sequence, time, the number of values, and the values, each preceded by its quantity's number.
    private var bytes: [UInt8] = []

    /// Creates an empty list.
    package init(subject: HistorySubject, seconds: Int64) {
        self.subject = subject
        self.seconds = seconds
    }

    /// The approximate size in memory, in bytes.
    var size: Int { bytes.count + 160 }

    /// Adds a sample. Ignores values that are not finite.
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

    /// The samples in insertion order.
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
