// SPDX-License-Identifier: MIT

/// Something about a metric that the data model or a format does not allow.
public struct MetricError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A metric name that does not match `[a-zA-Z_:][a-zA-Z0-9_:]*`, or that lacks a suffix its type needs.
        case invalidMetricName
        /// A label name that does not match `[a-zA-Z_][a-zA-Z0-9_]*`.
        case invalidLabelName
        /// A label name that belongs to Prometheus (`__…`) or to the type (`le`, `quantile`).
        case reservedLabelName
        /// The same label name twice in one set.
        case duplicateLabelName
        /// Labels that are not the ones which the descriptor declares.
        case labelMismatch
        /// A family that is registered already, or whose samples would be named like another family's.
        case nameClash
        /// A value or instrument that does not fit the type of its family.
        case typeMismatch
        /// A unit that is not the suffix of the family's name, or that the type cannot have.
        case invalidUnit
        /// Histogram bounds or counts that are not ascending.
        case invalidBuckets
        /// Quantiles outside 0…1 or not ascending.
        case invalidQuantiles
        /// A value that its type cannot have, such as a negative counter.
        case invalidValue
        /// An exemplar whose labels are longer than 128 characters, or whose timestamp is not finite.
        case invalidExemplar
        /// A labelled family that has as many children as it may have.
        case tooManyChildren
    }

    /// What kind of fault it is.
    public let code: Code
    /// The metric or label that it is about.
    public let subject: String
    /// The whole sentence: what failed, on what, and what to do.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of fault.
    ///   - subject: the metric or label that it is about.
    ///   - description: the whole sentence.
    package init(_ code: Code, subject: String, _ description: String) {
        self.code = code
        self.subject = subject
        self.description = description
    }
}
