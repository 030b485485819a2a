// SPDX-License-Identifier: MIT

/// The type of a family. The raw value is the word after `# TYPE` in OpenMetrics 1.0.
public enum MetricType: String, Sendable, Hashable, CaseIterable {
    /// A sum that only increases, and restarts at 0 with the process.
    case counter
    /// A value that can go up and down.
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
    /// Unknown; `untyped` in the text format 0.0.4.
    case unknown

    /// The word after `# TYPE` in the text format 0.0.4; types that it lacks map to similar ones.
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
