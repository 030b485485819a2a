// SPDX-License-Identifier: MIT

import WPCore

// Creates and registers instruments. All throw ``MetricError`` for programming errors: a name that is invalid or in
// use, a reserved label, or a unit that is not the suffix of the name.
extension Registry {
    /// Adds a counter without labels; it is exposed immediately, starting at 0.
    /// - Throws: ``MetricError`` for a name that is invalid or in use, or a unit that does not match it.
    public func counter(name: String, help: String, unit: String? = nil) throws(MetricError) -> Counter {
        try counter(name: name, help: help, unit: unit, labelNames: []).with()
    }

    /// Adds a counter with labels. A child is exposed from its first use.
    /// - Throws: ``MetricError`` for a name that is invalid, reserved or in use, or a unit that does not match it.
    public func counter(
        name: String,
        help: String,
        unit: String? = nil,
        labelNames: [String]
    ) throws(MetricError) -> CounterFamily {
        try add(name: name, help: help, type: .counter, unit: unit, labelNames: labelNames) { Counter() }
    }

    /// Adds a gauge without labels; it is exposed immediately, starting at 0.
    /// - Throws: ``MetricError`` for a name that is invalid or in use, or a unit that does not match it.
    public func gauge(name: String, help: String, unit: String? = nil) throws(MetricError) -> Gauge {
        try gauge(name: name, help: help, unit: unit, labelNames: []).with()
    }

    /// Adds a gauge with labels. A child is exposed from its first use.
    /// - Throws: ``MetricError`` for a name that is invalid, reserved or in use, or a unit that does not match it.
    public func gauge(
        name: String,
        help: String,
        unit: String? = nil,
        labelNames: [String]
    ) throws(MetricError) -> GaugeFamily {
        try add(name: name, help: help, type: .gauge, unit: unit, labelNames: labelNames) { Gauge() }
    }

    /// Adds a number that a function returns at each gather, for numbers that already exist elsewhere.
    /// - Parameters:
    ///   - name: the family's name.
    ///   - help: one sentence on what is measured.
    ///   - type: gauge, counter or unknown.
    ///   - unit: the suffix of the name; nil for none.
    ///   - read: returns the number; nil for no sample. Must not block.
    /// - Returns: the registration for ``unregister(_:)``.
    /// - Throws: ``MetricError`` for a name that is invalid or in use, a unit that does not match it, or another type.
    @discardableResult
    public func function(
        name: String,
        help: String,
        type: MetricType = .gauge,
        unit: String? = nil,
        read: @escaping @Sendable () -> Double?
    ) throws(MetricError) -> Registration {
        guard [.gauge, .counter, .unknown].contains(type) else {
            throw MetricError(
                .typeMismatch,
                subject: name,
                "\(name) is a \(type), which has several samples: write a collector for it"
            )
        }
        let row = try FamilyRow<Double>(name, help, type: type, unit: unit) { $0 }
        return try register(RowCollector([FamilyRows([row])], state: read))
    }

    /// Adds a histogram without labels; it is exposed immediately, with all buckets at 0.
    /// - Throws: ``MetricError`` for a name that is invalid or in use, or a unit that does not match it.
    public func histogram(
        name: String,
        help: String,
        unit: String? = nil,
        buckets: HistogramBuckets = .standard
    ) throws(MetricError) -> Histogram {
        try histogram(name: name, help: help, unit: unit, labelNames: [], buckets: buckets).with()
    }

    /// Adds a histogram with labels. A child is exposed from its first use.
    /// - Throws: ``MetricError`` for a name that is invalid, reserved (`le`) or in use, or a unit that does not match
    ///   it.
    public func histogram(
        name: String,
        help: String,
        unit: String? = nil,
        labelNames: [String],
        buckets: HistogramBuckets = .standard
    ) throws(MetricError) -> HistogramFamily {
        try add(name: name, help: help, type: .histogram, unit: unit, labelNames: labelNames) {
            Histogram(buckets: buckets)
        }
    }

    /// Adds a summary without labels; it is exposed immediately.
    /// - Parameters:
    ///   - name: the family's name.
    ///   - help: one sentence on what is measured.
    ///   - unit: the suffix of the name; nil for none.
    ///   - quantiles: ascending, each 0…1; empty for the count and sum only.
    ///   - window: how long an observation contributes to the quantiles.
    /// - Throws: ``MetricError`` for a name that is invalid or in use, a unit that does not match it, or invalid
    ///   quantiles.
    public func summary(
        name: String,
        help: String,
        unit: String? = nil,
        quantiles: [Double] = [0.5, 0.9, 0.99],
        window: Duration = .seconds(600)
    ) throws(MetricError) -> Summary {
        try summary(name: name, help: help, unit: unit, labelNames: [], quantiles: quantiles, window: window).with()
    }

    /// Adds a summary with labels. A child is exposed from its first use.
    /// - Throws: ``MetricError`` for a name that is invalid, reserved (`quantile`) or in use, a unit that does not
    ///   match it, or invalid quantiles.
    public func summary(
        name: String,
        help: String,
        unit: String? = nil,
        labelNames: [String],
        quantiles: [Double] = [0.5, 0.9, 0.99],
        window: Duration = .seconds(600)
    ) throws(MetricError) -> SummaryFamily {
        try SummaryValue.check(quantiles)
        return try add(name: name, help: help, type: .summary, unit: unit, labelNames: labelNames) {
            Summary(valid: quantiles, window: window, timeSource: .system)
        }
    }

    private func add<Child: ExposedInstrument>(
        name: String,
        help: String,
        type: MetricType,
        unit: String?,
        labelNames: [String],
        make: @escaping @Sendable () -> Child
    ) throws(MetricError) -> InstrumentFamily<Child> {
        let descriptor = try MetricDescriptor(name: name, help: help, type: type, unit: unit, labelNames: labelNames)
        let family = try InstrumentFamily(
            descriptor,
            labelNames: labelNames,
            creationClock: type == .gauge ? nil : creationClock,
            make: make
        )
        try register(family)
        return family
    }
}
