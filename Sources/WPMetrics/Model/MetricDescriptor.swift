// SPDX-License-Identifier: MIT

/// What a family is: its name, meaning and type. Valid by construction.
///
/// The name is the one of the family's samples in the text format 0.0.4: a counter is named with its `_total`, an info
/// metric with its `_info`. OpenMetrics, which names those families without the suffix, is served from the same name.
public struct MetricDescriptor: Sendable, Hashable {
    /// The name, `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    public let name: String
    /// One sentence on what is measured; empty for none.
    public let help: String
    /// The kind of series.
    public let type: MetricType
    /// The unit, which is the name's suffix (before `_total`); nil for none. Only OpenMetrics shows it.
    public let unit: String?
    /// The labels that each metric has, no more and no less, sorted; nil when they are free.
    public let labelNames: [String]?

    /// Creates a descriptor.
    /// - Parameters:
    ///   - name: the name of the samples; an info metric's ends in `_info`.
    ///   - help: one sentence on what is measured.
    ///   - type: the kind of series.
    ///   - unit: the unit in plural (`seconds`), which must be the suffix of the name; nil for none.
    ///   - labelNames: the labels that each metric must have; nil to leave them free.
    /// - Throws: ``MetricError`` for an invalid name, a reserved or repeated label, a unit that is not the suffix.
    public init(
        name: String,
        help: String,
        type: MetricType,
        unit: String? = nil,
        labelNames: [String]? = nil
    ) throws(MetricError) {
        try Names.checkMetric(name)
        if type == .info, !name.hasSuffix("_info") || name.utf8.count == "_info".utf8.count {
            throw MetricError(
                .invalidMetricName,
                subject: name,
                "the info metric \(name) is not named so: end its name in '_info'"
            )
        }
        self.name = name
        self.help = help
        self.type = type
        self.unit = unit
        self.labelNames = try Self.check(labelNames, of: name, type)
        try checkUnit()
    }

    /// The family's name in OpenMetrics.
    var openMetricsName: String {
        switch type {
        case .counter where name.hasSuffix("_total") && name.utf8.count > 6: String(name.dropLast(6))
        case .info: String(name.dropLast(5))
        default: name
        }
    }

    /// Every name that the family takes in either format, which no other family may use.
    package var claimedNames: [String] {
        let base = openMetricsName
        switch type {
        case .counter:
            return base == name ? [name, name + "_total", name + "_created"] : [base, name, base + "_created"]
        case .gauge, .stateSet, .unknown: return [name]
        case .info: return [base, name]
        case .histogram: return [name] + ["_bucket", "_sum", "_count", "_created"].map { name + $0 }
        case .gaugeHistogram:
            return [name] + ["_bucket", "_sum", "_count", "_gsum", "_gcount"].map { name + $0 }
        case .summary: return [name] + ["_sum", "_count", "_created"].map { name + $0 }
        }
    }

    /// The label that the type adds to its samples, and that a metric therefore cannot have.
    static func reservedLabel(of type: MetricType) -> String? {
        switch type {
        case .histogram, .gaugeHistogram: "le"
        case .summary: "quantile"
        default: nil
        }
    }

    static func reservedLabelError(_ label: String, in name: String) -> MetricError {
        MetricError(
            .reservedLabelName,
            subject: label,
            "\(name) cannot have the label \(label), which its type adds itself: rename the label"
        )
    }

    private static func check(
        _ labelNames: [String]?,
        of name: String,
        _ type: MetricType
    ) throws(MetricError) -> [String]? {
        guard let labelNames else { return nil }
        for label in labelNames {
            try Names.checkLabel(label)
            if label == reservedLabel(of: type) { throw reservedLabelError(label, in: name) }
        }
        let sorted = labelNames.sorted()
        for (label, next) in zip(sorted, sorted.dropFirst()) where label == next {
            throw MetricError(
                .duplicateLabelName,
                subject: label,
                "\(name) declares the label \(label) twice: declare it once"
            )
        }
        return sorted
    }

    private func checkUnit() throws(MetricError) {
        guard let unit else { return }
        let isWellFormed = !unit.isEmpty && Names.isMetricName("_\(unit)".utf8)
        guard isWellFormed, openMetricsName.hasSuffix("_" + unit) else {
            throw MetricError(
                .invalidUnit,
                subject: name,
                "\(name) does not end in its unit \(String(reflecting: unit)): rename it, or leave the unit out"
            )
        }
        guard type != .info, type != .stateSet else {
            throw MetricError(.invalidUnit, subject: name, "\(name) is no quantity and has no unit: leave it out")
        }
    }
}
