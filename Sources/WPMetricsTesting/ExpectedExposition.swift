// SPDX-License-Identifier: MIT

import WPMetrics

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
