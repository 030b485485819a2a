// SPDX-License-Identifier: MIT

/// The name, help, type, unit and labels of a family. Valid by construction.
///
/// The name is that of the samples in the text format 0.0.4, with `_total` for a counter and `_info` for an info
/// metric. OpenMetrics names those families without the suffix.
public struct MetricDescriptor: Sendable, Hashable {
    /// The name, `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    public var name: String { content.name }
    /// One sentence on what is measured; empty for none.
    public var help: String { content.help }
    /// The kind of series.
    public var type: MetricType { content.type }
    /// The unit, which is the name's suffix (before `_total`); nil for none. Only OpenMetrics exposes it.
    public var unit: String? { content.unit }
    /// The exact labels of each metric, sorted; nil if they are not fixed.
    public var labelNames: [String]? { content.labelNames }

    /// Shared by all copies, so that copying a family does not retain and release each string.
    private final class Content: Sendable {
        let name: String
        let help: String
        let type: MetricType
        let unit: String?
        let labelNames: [String]?
        /// The lines before the family's samples, in each format.
        let textHeader, openMetricsHeader: [UInt8]

        init(name: String, help: String, type: MetricType, unit: String?, labelNames: [String]?) {
            self.name = name
            self.help = help
            self.type = type
            self.unit = unit
            self.labelNames = labelNames
            textHeader = TextFormat.header(name: name, help: help, type: type)
            openMetricsHeader = OpenMetricsFormat.header(
                name: MetricDescriptor.openMetricsName(of: name, type),
                help: help,
                type: type,
                unit: unit
            )
        }
    }

    private let content: Content

    /// The lines before the family's samples in the text format.
    var textHeader: [UInt8] { content.textHeader }
    /// The lines before the family's samples in OpenMetrics.
    var openMetricsHeader: [UInt8] { content.openMetricsHeader }

    /// Creates a descriptor.
    /// - Parameters:
    ///   - name: the name of the samples; that of an info metric ends in `_info`.
    ///   - help: one sentence on what is measured.
    ///   - type: the kind of series.
    ///   - unit: the unit in the plural (`seconds`), which must be the suffix of the name; nil for none.
    ///   - labelNames: the labels that each metric must have; nil if they are not fixed.
    /// - Throws: ``MetricError`` for an invalid name, a reserved or repeated label, or a unit that is not the suffix.
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
                "the name of the info metric \(name) does not end in '_info': rename it"
            )
        }
        let labelNames = try Self.check(labelNames, of: name, type)
        content = Content(name: name, help: help, type: type, unit: unit, labelNames: labelNames)
        try checkUnit()
    }

    /// Whether name, help, type, unit and labels are the same.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.content === rhs.content
            || (lhs.name == rhs.name && lhs.help == rhs.help && lhs.type == rhs.type && lhs.unit == rhs.unit
                && lhs.labelNames == rhs.labelNames)
    }

    /// Hashes the name, which is unique in an exposition.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    /// The family's name in OpenMetrics.
    var openMetricsName: String { Self.openMetricsName(of: name, type) }

    fileprivate static func openMetricsName(of name: String, _ type: MetricType) -> String {
        switch type {
        case .counter where name.hasSuffix("_total") && name.utf8.count > 6: String(name.dropLast(6))
        case .info: String(name.dropLast(5))
        default: name
        }
    }

    /// All names that the family uses in either format, which no other family may use.
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

    /// The label that the type adds to its samples, which a metric cannot have.
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
                "\(name) does not end in its unit \(String(reflecting: unit)): rename it, or omit the unit"
            )
        }
        guard type != .info, type != .stateSet else {
            throw MetricError(.invalidUnit, subject: name, "\(name) is not a quantity: omit the unit")
        }
    }
}
