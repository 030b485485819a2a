// SPDX-License-Identifier: MIT

/// What kind of series a family holds. The raw value is the word that OpenMetrics 1.0 writes after `# TYPE`.
public enum MetricType: String, Sendable, Hashable, CaseIterable {
    /// A sum that only grows, and starts again at 0 with the process.
    case counter
    /// A value that goes up and down.
    case gauge
    /// Observations counted in buckets, as a counter.
    case histogram
    /// Buckets that describe a current state, and may shrink.
    case gaugeHistogram = "gaugehistogram"
    /// Observations as a count, a sum and quantiles.
    case summary
    /// Text about the target, carried by labels; the value is 1 and the name ends in `_info`.
    case info
    /// One boolean per state; the label that names the state has the name of the family.
    case stateSet = "stateset"
    /// Not known: 0.0.4 calls it `untyped`.
    case unknown

    /// The word that the text format 0.0.4 writes after `# TYPE`; types that it lacks become what it can say of them.
    package var textName: String {
        switch self {
        case .counter: "counter"
        case .gauge, .info, .stateSet: "gauge"
        case .histogram, .gaugeHistogram: "histogram"
        case .summary: "summary"
        case .unknown: "untyped"
        }
    }
}
