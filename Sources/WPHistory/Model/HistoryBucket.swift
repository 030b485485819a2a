// SPDX-License-Identifier: MIT

/// What the samples of one subject came to in one span of the epoch's grid.
package struct HistoryBucket: Sendable, Hashable {
    /// A quantity over the bucket.
    package struct Aggregate: Sendable, Hashable {
        /// Which quantity.
        package var quantity: HistoryQuantity
        /// How many samples had it, at least 1.
        package var count: Int
        /// The mean, weighted by the time that each value stands for; of a counter, how much it grew.
        package var average: Double
        /// The least value; of a counter, 0.
        package var minimum: Double
        /// The greatest value; of a counter, 0.
        package var maximum: Double

        /// An aggregate of one value.
        package init(_ quantity: HistoryQuantity, _ value: Double) {
            self.init(quantity, count: 1, average: value, minimum: value, maximum: value)
        }

        /// Creates an aggregate.
        package init(_ quantity: HistoryQuantity, count: Int, average: Double, minimum: Double, maximum: Double) {
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
    package var start: Int64
    /// Its length.
    package var seconds: Int64
    /// How many samples came in it, at least 1.
    package var samples: Int
    /// The quantities that were known, by number.
    package var aggregates: [Aggregate]

    /// Creates a bucket.
    package init(start: Int64, seconds: Int64, samples: Int, aggregates: [Aggregate] = []) {
        self.start = start
        self.seconds = seconds
        self.samples = samples
        self.aggregates = aggregates
    }

    /// Its end, which belongs to the next one.
    package var end: Int64 { start + seconds }

    /// A quantity; nil when no sample had it.
    package subscript(quantity: HistoryQuantity) -> Aggregate? {
        aggregates.first { $0.quantity == quantity }
    }

    /// Adds a sample's value.
    mutating func add(_ aggregate: Aggregate) {
        merge(CollectionOfOne(aggregate))
    }

    /// Adds the growth of a counter from one sample to the next. A counter that went backwards was reset; its growth until
    /// then is unknown.
    mutating func addGrowth(of counter: HistoryQuantity, from before: Double, to total: Double) {
        if total >= before { add(Aggregate(counter, total - before)) }
    }

    /// Adds what another bucket, or a part of the same one, holds. The start stays.
    mutating func merge(_ other: Self) {
        merge(other.aggregates, other.samples, other.seconds)
    }

    /// Adds the aggregates of another bucket.
    mutating func merge(_ others: [Aggregate], _ samples: Int, _ seconds: Int64) {
        self.samples += samples
        self.seconds = max(self.seconds, seconds)
        merge(others)
    }

    private mutating func merge(_ others: some Sequence<Aggregate>) {
        var place = 0
        for other in others {
            // They come by number, so that each is found at once; a store's may be in any order.
            if place > 0, other.quantity <= aggregates[place - 1].quantity { place = 0 }
            while place < aggregates.count, aggregates[place].quantity < other.quantity { place += 1 }
            if place < aggregates.count, aggregates[place].quantity == other.quantity {
                aggregates[place].merge(other)
            } else {
                aggregates.insert(other, at: place)
            }
        }
    }

    /// The start of the span of a grid that a moment falls into. The grid begins at the epoch, so that every range shows
    /// the same moments.
    package static func start(of time: Int64, step: Int64) -> Int64 {
        let rest = time % step
        return time - (rest < 0 ? rest + step : rest)
    }
}
