// SPDX-License-Identifier: MIT

public import WPMetrics

// Queries and checks of a registry for tests.
extension MetricGatherer {
    /// Gathers, and compares the result with an exposition.
    ///
    /// `#expect(await registry.difference(from: "…") == nil)` prints the difference line by line. The expected text is
    /// parsed and formatted again, so that order and number formatting do not matter; names, help, types, labels and
    /// values do.
    /// - Parameters:
    ///   - expected: an exposition; the final line feed and the `# EOF` of OpenMetrics are optional.
    ///   - names: the families to compare, by their own names or those of their samples; empty for all.
    ///   - format: the format of the comparison. The text format has neither units nor exemplars.
    /// - Returns: nil if they are equal and the gather had no failures.
    /// - Throws: `ExpositionParseError` if the expected text is not an exposition.
    public func difference(
        from expected: String,
        names: Set<String> = [],
        format: ExpositionFormat = .text
    ) async throws(ExpositionParseError) -> ExpositionDifference? {
        let parsed = try ExpectedExposition(expected, format)
        let found = await gather().keeping(names: names)
        // Gathering the expected families from a registry sorts them in the same order.
        let registry = Registry()
        _ = try? registry.register(parsed)
        let wanted = await registry.gather().keeping(names: names)
        return ExpositionDifference(
            expected: ExpositionDifference.lines(format.encode(wanted.families)),
            found: ExpositionDifference.lines(format.encode(found.families)),
            failures: found.failures
        )
    }

    /// Gathers, and returns the value of one sample.
    /// - Parameters:
    ///   - name: the sample's name in the text format: `x`, or `x_bucket`, `x_count`, `x_sum` of a histogram or
    ///     summary.
    ///   - labels: all labels of the sample, in any order; `le` and `quantile` are compared as numbers.
    /// - Returns: nil if there is no such sample.
    public func value(of name: String, _ labels: KeyValuePairs<String, String> = [:]) async -> Double? {
        let wanted = SampleKey(name, labels.map { ($0.key, $0.value) })
        for family in await gather().families where wanted.name.hasPrefix(family.name) {
            for sample in family.samples where sample.key == wanted { return sample.value }
        }
        return nil
    }

    /// Gathers, and checks the result against the naming conventions: `#expect(await registry.lint().isEmpty)`.
    ///
    /// Families without metrics are not checked.
    public func lint() async -> [LintProblem] {
        MetricLinter.lint(await gather().families)
    }
}

extension Registry {
    /// Creates a registry of these collectors, to test them in isolation.
    /// - Throws: `MetricError` if their names conflict.
    public convenience init(_ collectors: any MetricCollector...) throws(MetricError) {
        self.init()
        for collector in collectors { try register(collector) }
    }
}

/// The families of an expected exposition.
struct ExpectedExposition: ImmediateCollector {
    private let families: [MetricFamily]

    init(_ text: String, _ format: ExpositionFormat) throws(ExpositionParseError) {
        var text = text
        if !text.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
        if format.syntax == .openMetrics, text != "# EOF\n", !text.hasSuffix("\n# EOF\n") { text += "# EOF\n" }
        families = try format.parse(Array(text.utf8))
    }

    /// Empty, because parsed families need not be declared.
    var descriptors: [MetricDescriptor] { [] }

    func collectNow() -> [MetricFamily] { families }
}
