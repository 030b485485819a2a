// SPDX-License-Identifier: MIT

/// Checks families against the naming conventions: the rules of `promtool check metrics` and some of the naming guide.
/// Families with problems are still valid.
package enum MetricLinter {
    /// The problems, in the order of the families; each problem is reported once per family.
    package static func lint(_ families: [MetricFamily]) -> [LintProblem] {
        families.flatMap { lint($0.descriptor, labelNames: labelNames(of: $0)) }
    }

    /// The problems of families without metrics, such as a collector's descriptors.
    package static func lint(descriptors: [MetricDescriptor]) -> [LintProblem] {
        descriptors.flatMap { lint($0, labelNames: $0.labelNames ?? []) }
    }

    private static func lint(_ descriptor: MetricDescriptor, labelNames: [String]) -> [LintProblem] {
        var problems: [LintProblem] = []
        func report(_ rule: LintProblem.Rule, _ advice: String) {
            problems.append(LintProblem(family: descriptor.name, rule: rule, advice: advice))
        }
        let name = descriptor.name
        let parts = name.split(separator: "_").map(String.init)
        let lowercasedParts = parts.map { $0.lowercased() }

        if descriptor.help.isEmpty { report(.help, "write a help text") }
        if name.contains(":") { report(.nameStyle, "use ':' only in recording rules") }
        if isCamelCase(name) { report(.nameStyle, "write the name in snake_case") }
        for type in ["counter", "gauge", "histogram", "gaugehistogram", "summary"]
        where lowercasedParts.dropFirst().contains(type) {
            report(.typeInName, "remove the type '\(type)' from the name")
        }
        if let (unit, base) = parts.lazy.compactMap(MetricUnits.baseUnit).first, unit != base {
            report(.baseUnit, "use the base unit '\(base)' instead of '\(unit)'")
        }
        if lowercasedParts.dropFirst().contains(where: MetricUnits.abbreviations.contains) {
            report(.abbreviatedUnit, "write the unit in full")
        }
        lintSuffixes(of: descriptor, report)
        lintLabels(labelNames, of: descriptor.type, report)
        return problems
    }

    private static func lintSuffixes(
        of descriptor: MetricDescriptor,
        _ report: (LintProblem.Rule, String) -> Void
    ) {
        let (name, type) = (descriptor.name, descriptor.type)
        guard type != .unknown else { return }
        if type == .counter, !name.hasSuffix("_total") {
            report(.totalSuffix, "end the counter's name in '_total'")
        } else if type != .counter, name.hasSuffix("_total") {
            report(.totalSuffix, "use '_total' only for counters")
        }
        let isHistogram = type == .histogram || type == .gaugeHistogram
        if name.hasSuffix("_bucket"), !isHistogram { report(.reservedSuffix, "use '_bucket' only for histograms") }
        for suffix in ["_count", "_sum"] where name.hasSuffix(suffix) && !isHistogram && type != .summary {
            report(.reservedSuffix, "use '\(suffix)' only for histograms and summaries")
        }
    }

    private static func lintLabels(
        _ names: [String],
        of type: MetricType,
        _ report: (LintProblem.Rule, String) -> Void
    ) {
        if type != .unknown {
            if names.contains("le") { report(.reservedLabel, "use the label 'le' only for histograms") }
            if names.contains("quantile") { report(.reservedLabel, "use the label 'quantile' only for summaries") }
        }
        for name in names where isCamelCase(name) {
            report(.labelStyle, "write the label '\(name)' in snake_case")
        }
        if names.contains("type") { report(.labelStyle, "rename the label 'type' to say what it is a type of") }
    }

    private static func labelNames(of family: MetricFamily) -> [String] {
        var names: Set<String> = []
        for metric in family.metrics {
            for label in metric.labels { names.insert(label.name) }
        }
        return names.sorted()
    }

    /// Whether an upper-case letter follows a lower-case one.
    private static func isCamelCase(_ name: String) -> Bool {
        zip(name.utf8, name.utf8.dropFirst()).contains { first, second in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
                && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(second)
        }
    }
}
