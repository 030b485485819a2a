// SPDX-License-Identifier: MIT

/// A violation of the data model or a format.
public struct MetricError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A metric name that does not match `[a-zA-Z_:][a-zA-Z0-9_:]*`, or that lacks a suffix its type needs.
        case invalidMetricName
        /// A label name that does not match `[a-zA-Z_][a-zA-Z0-9_]*`.
        case invalidLabelName
        /// A label name reserved by Prometheus (`__…`) or the type (`le`, `quantile`).
        case reservedLabelName
        /// The same label name twice in one set.
        case duplicateLabelName
        /// Labels other than those of the descriptor.
        case labelMismatch
        /// A family that is already registered, or whose samples have names that another family uses.
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
        /// A labelled family that has reached its maximum number of children.
        case tooManyChildren
    }

    /// The kind of error.
    public let code: Code
    /// The metric or label in question.
    public let subject: String
    /// What failed, on what, and what to do.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of error.
    ///   - subject: the metric or label in question.
    ///   - description: the full message.
    package init(_ code: Code, subject: String, _ description: String) {
        self.code = code
        self.subject = subject
        self.description = description
    }
}
