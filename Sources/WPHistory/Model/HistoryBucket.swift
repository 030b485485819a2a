// SPDX-License-Identifier: MIT

/// The aggregates of one subject in one interval of a grid that starts at the epoch.
public struct HistoryBucket: Sendable, Hashable {
    /// A quantity over the bucket.
    public struct Aggregate: Sendable, Hashable {
        /// The quantity.
        public package(set) var quantity: HistoryQuantity
        /// The number of samples that contain it, at least 1.
        public package(set) var count: Int
        /// The mean of its samples; for a counter, its increase.
        public package(set) var average: Double
        /// The minimum; 0 for a counter.
        public package(set) var minimum: Double
        /// The maximum; 0 for a counter.
        public package(set) var maximum: Double

        /// Creates an aggregate of one value.
        public init(_ quantity: HistoryQuantity, _ value: Double) {
            self.init(quantity, count: 1, average: value, minimum: value, maximum: value)
        }

        /// Creates an aggregate. Ignores the minimum and maximum of a counter.
        public init(_ quantity: HistoryQuantity, count: Int, average: Double, minimum: Double, maximum: Double) {
            self.quantity = quantity
            self.count = count
            self.average = average
            (self.minimum, self.maximum) = quantity.isCounter ? (0, 0) : (minimum, maximum)
        }

        /// Adds another aggregate of the same quantity.
        mutating func merge(_ other: Self) {
            if quantity.isCounter {
                average += other.average
            } else {
                let sum = count + other.count
                average += (other.average - average) * (Double(other.count) / Double(sum))
                minimum = min(minimum, other.minimum)
                maximum = max(maximum, other.maximum)
                // Rounding must not move a mean out of its range.
                average = min(max(average, minimum), maximum)
            }
            count += other.count
        }
    }

    /// Its start, in seconds since 1970: a multiple of ``seconds``.
    public package(set) var start: Int64
    /// Its length.
    public package(set) var seconds: Int64
    /// The number of samples, at least 1.
    public package(set) var samples: Int
    /// The known quantities, sorted by number.
    public package(set) var aggregates: [Aggregate]

    /// Creates a bucket.
    /// - Parameters:
    ///   - start: its start, in seconds since 1970: a multiple of `seconds`.
    ///   - seconds: its length.
    ///   - samples: the number of samples, at least 1.
    ///   - aggregates: the known quantities, sorted by number.
    public init(start: Int64, seconds: Int64, samples: Int, aggregates: [Aggregate] = []) {
        self.start = start
        self.seconds = seconds
        self.samples = samples
        self.aggregates = aggregates
    }

    /// Its exclusive end.
    public var end: Int64 { start + seconds }

    /// The aggregate of a quantity; nil if no sample contained it.
    public subscript(quantity: HistoryQuantity) -> Aggregate? {
        aggregates.first { $0.quantity == quantity }
    }

    /// Adds an aggregate. Merges it with an existing one of the same quantity.
    mutating func add(_ aggregate: Aggregate) {
        let index = aggregates.firstIndex { $0.quantity >= aggregate.quantity } ?? aggregates.endIndex
        if index < aggregates.endIndex, aggregates[index].quantity == aggregate.quantity {
            aggregates[index].merge(aggregate)
        } else {
            aggregates.insert(aggregate, at: index)
        }
    }

    /// Adds the growth of a counter from one sample to the next. A counter that decreased was reset; its increase until
    /// then is unknown.
    mutating func addGrowth(of counter: HistoryQuantity, from before: Double, to total: Double) {
        if total >= before { add(Aggregate(counter, total - before)) }
    }

    /// Merges another bucket, or a part of the same one. The start does not change.
    public mutating func merge(_ other: Self) {
        samples += other.samples
        seconds = max(seconds, other.seconds)
        for aggregate in other.aggregates { add(aggregate) }
    }

    /// The start of the grid interval that contains a time. The grid starts at the epoch, so that all ranges align.
    package static func start(of time: Int64, step: Int64) -> Int64 {
        let rest = time % step
        return time - (rest < 0 ? rest + step : rest)
    }
}
