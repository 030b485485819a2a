// SPDX-License-Identifier: MIT

package import WPMetrics
package import WPTestSupport

/// Generates families of every type with unusual text and numbers.
package struct ArbitraryFamilies {
    /// The random number generator.
    package var generator: SeededGenerator
    private let isOpenMetrics: Bool
    private let avoidsPrometheusClientBugs: Bool

    /// - Parameters:
    ///   - generator: the random number generator.
    ///   - isOpenMetrics: whether to generate exemplars, units and additional types, which only OpenMetrics supports.
    ///   - avoidsPrometheusClientBugs: whether to omit what Python's prometheus_client 0.23 misparses: it ends an
    ///     exemplar's label at an escaped quotation mark, and treats all members of an info or state set as one metric,
    ///     some of which then cannot have a timestamp.
    package init(generator: SeededGenerator, isOpenMetrics: Bool, avoidsPrometheusClientBugs: Bool = false) {
        self.avoidsPrometheusClientBugs = avoidsPrometheusClientBugs
        self.generator = generator
        self.isOpenMetrics = isOpenMetrics
    }

    /// Up to six families of one to four metrics.
    package mutating func families() throws -> [MetricFamily] {
        try (0..<Int.random(in: 0...6, using: &generator)).map { try family($0) }
    }

    private mutating func family(_ index: Int) throws -> MetricFamily {
        var types: [MetricType] = [.counter, .gauge, .histogram, .summary, .unknown]
        if isOpenMetrics { types += [.gaugeHistogram, .info, .stateSet] }
        let type = pick(types)
        let unit = isOpenMetrics && type != .info && type != .stateSet && Bool.random(using: &generator) ? "volts" : nil
        let suffix = type == .counter ? "_total" : type == .info ? "_info" : ""
        let name = "family\(index)" + (unit.map { "_" + $0 } ?? "") + suffix
        let descriptor = try MetricDescriptor(name: name, help: help(), type: type, unit: unit)
        var labels: Set<LabelSet> = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            labels.insert(try labelSet(type == .stateSet ? [name] : []))
        }
        return MetricFamily(descriptor, try labels.sorted().map { try created(metric($0, type), type) })
    }

    private mutating func created(_ metric: Metric, _ type: MetricType) -> Metric {
        guard isOpenMetrics, [.counter, .histogram, .summary].contains(type), Bool.random(using: &generator) else {
            return metric
        }
        var metric = metric
        metric.created = Double.random(in: 0...2e9, using: &generator)
        return metric
    }

    private mutating func metric(_ labels: LabelSet, _ type: MetricType) throws -> Metric {
        let milliseconds = Int64.random(in: -1_000_000_000_000...4_000_000_000_000, using: &generator)
        let hasTimestamp =
            Bool.random(using: &generator) && !(avoidsPrometheusClientBugs && [.info, .stateSet].contains(type))
        let timestamp = hasTimestamp ? Double(milliseconds) / 1000 : nil
        switch type {
        case .gauge, .unknown: return Metric(labels: labels, value: number(), timestamp: timestamp)
        case .counter:
            let number = number().magnitude
            return Metric(
                labels: labels,
                value: number.isNaN ? 0 : number,
                timestamp: timestamp,
                exemplar: try exemplar()
            )
        case .info: return Metric(labels: labels, value: 1, timestamp: timestamp)
        case .stateSet: return Metric(labels: labels, value: pick([0, 1]), timestamp: timestamp)
        case .histogram, .gaugeHistogram:
            return Metric(labels: labels, .histogram(try histogram(type)), timestamp: timestamp)
        case .summary: return Metric(labels: labels, .summary(try summary()), timestamp: timestamp)
        }
    }

    private mutating func histogram(_ type: MetricType) throws -> HistogramValue {
        var bounds: Set<Double> = []
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let bound = number()
            if bound.isFinite { bounds.insert(isOpenMetrics ? bound.magnitude : bound + 0) }
        }
        var count: UInt64 = 0
        var buckets: [HistogramValue.Bucket] = []
        for bound in bounds.sorted() + [.infinity] {
            count += UInt64.random(in: 0...UInt64.max >> pick([4, 10, 40, 60]), using: &generator)
            buckets.append(.init(upperBound: bound, cumulativeCount: count, exemplar: try exemplar()))
        }
        let sum = number()
        let isAllowed = !isOpenMetrics || sum >= 0
        return try HistogramValue(buckets: buckets, sum: isAllowed ? sum : nil)
    }

    private mutating func summary() throws -> SummaryValue {
        let parts = [0, 0.25, 0.5, 0.9, 0.99, 1].filter { _ in Bool.random(using: &generator) }
        let quantiles = parts.map { part in
            let value = number()
            return SummaryValue.Quantile(part, value: isOpenMetrics ? value.magnitude : value)
        }
        let sum = number().magnitude
        return try SummaryValue(
            quantiles: quantiles,
            sum: sum.isNaN ? nil : sum,
            count: UInt64.random(in: .min ... .max, using: &generator)
        )
    }

    private mutating func exemplar() throws -> Exemplar? {
        guard isOpenMetrics, Bool.random(using: &generator) else { return nil }
        let time = Bool.random(using: &generator) ? Double.random(in: 0...2e9, using: &generator) : nil
        let id = !avoidsPrometheusClientBugs ? text(20) : text(20).filter { !$0.unicodeScalars.contains("\"") }
        return try Exemplar(labels: LabelSet([Label("id", id)]), value: number(), timestamp: time)
    }

    private mutating func labelSet(_ required: [String]) throws -> LabelSet {
        var names = Set(required)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            names.insert(pick(["a", "B", "c_1", "_d", "Ee", "f"]))
        }
        return try LabelSet(names.map { Label($0, text(12)) })
    }

    /// A help text; the text format does not preserve leading spaces.
    private mutating func help() -> String {
        String(text(30).drop { $0 == " " || $0 == "\t" })
    }

    /// Text of any characters, including escapes and control characters.
    package mutating func text(_ maximumLength: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...maximumLength, using: &generator) {
            switch Int.random(in: 0...9, using: &generator) {
            case 0: scalars.append("\\")
            case 1: scalars.append("\"")
            case 2: scalars.append("\n")
            case 3: scalars.append(pick(["\r", "\t", "\0", " ", "{", "}", ",", "=", "#", "n", "é", "\u{301}"]))
            case 4:
                let code = UInt32.random(in: 0...0x10FFFF, using: &generator)
                scalars.append(Unicode.Scalar(code) ?? "\u{FFFD}")
            default:
                scalars.append(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &generator)))
            }
        }
        return String(scalars)
    }

    /// Any number: special values, subnormals, integers, short decimals, random bits.
    package mutating func number() -> Double {
        switch Int.random(in: 0...7, using: &generator) {
        case 0:
            pick([
                0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
                .leastNormalMagnitude, .greatestFiniteMagnitude, 0x1p53, 0x1p53 - 1, 0x1p53 + 2, -0x1p53, 0x1p63,
                0x1p64, 1e21, 1e-5, 0.1, 1.0 / 3,
            ])
        case 1: Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
        case 2: Double(UInt64.random(in: 1..<(1 << 52), using: &generator)) * .leastNonzeroMagnitude
        case 3: Double(Int.random(in: -1_000_000...1_000_000, using: &generator))
        case 4: Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
        default: Double.random(in: -1e6...1e6, using: &generator)
        }
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }
}
