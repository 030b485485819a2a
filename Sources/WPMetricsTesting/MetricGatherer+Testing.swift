// SPDX-License-Identifier: MIT

public import WPMetrics

// What a test asks of a registry, in one line each.
extension MetricGatherer {
    /// Gathers, and compares with an exposition.
    ///
    /// `#expect(await registry.difference(from: "…") == nil)` shows the difference line by line when there is one. The
    /// expected text is read, sorted and written again, so that neither the order of families, metrics and labels nor
    /// the spelling of a number matters; names, help, types, labels and values do.
    /// - Parameters:
    ///   - expected: an exposition; its last line feed may be missing, and so may the `# EOF` of OpenMetrics.
    ///   - names: the families to compare, by their own names or those of their samples; none for all.
    ///   - format: the format in which both are compared. The text format has neither units nor exemplars.
    /// - Returns: nil when they are the same and the gather left nothing out.
    /// - Throws: `ExpositionParseError` when the expected text is no exposition.
    public func difference(
        from expected: String,
        names: Set<String> = [],
        format: ExpositionFormat = .text
    ) async throws(ExpositionParseError) -> ExpositionDifference? {
        let parsed = try ExpectedExposition(expected, format)
        let found = await gather().keeping(names: names)
        // A registry of the expected families gives them in the order in which a registry gives any.
        let registry = Registry()
        _ = try? registry.register(parsed)
        let wanted = await registry.gather().keeping(names: names)
        return ExpositionDifference(
            expected: ExpositionDifference.lines(format.encode(wanted.families)),
            found: ExpositionDifference.lines(format.encode(found.families)),
            failures: found.failures
        )
    }

    /// Gathers, and gives the value of one sample.
    /// - Parameters:
    ///   - name: the sample's name in the text format: `x`, or `x_bucket`, `x_count`, `x_sum` of a histogram or summary.
    ///   - labels: all labels of the sample, in any order; `le` and `quantile` are compared as numbers.
    /// - Returns: nil when there is no such sample.
    public func value(of name: String, _ labels: KeyValuePairs<String, String> = [:]) async -> Double? {
        let wanted = SampleKey(name, labels.map { ($0.key, $0.value) })
        for family in await gather().families where wanted.name.hasPrefix(family.name) {
            for sample in family.samples where sample.key == wanted { return sample.value }
        }
        return nil
    }

    /// Gathers, and checks what came against the naming conventions: `#expect(await registry.lint().isEmpty)`.
    ///
    /// Families without metrics are not checked.
    public func lint() async -> [LintProblem] {
        MetricLinter.lint(await gather().families)
    }
}

extension Registry {
    /// Creates a registry of these collectors, to test one of them alone.
    /// - Throws: `MetricError` when their names clash.
    public convenience init(_ collectors: any MetricCollector...) throws(MetricError) {
        self.init()
        for collector in collectors { try register(collector) }
    }
}

/// The families of a text that a test has written down.
struct ExpectedExposition: ImmediateCollector {
    private let families: [MetricFamily]

    init(_ text: String, _ format: ExpositionFormat) throws(ExpositionParseError) {
        var text = text
        if !text.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
        if format.syntax == .openMetrics, text != "# EOF\n", !text.hasSuffix("\n# EOF\n") { text += "# EOF\n" }
        families = try format.parse(Array(text.utf8))
    }

    /// None: what a parser has read need not be declared.
    var descriptors: [MetricDescriptor] { [] }

    func collectNow() -> [MetricFamily] { families }
}
