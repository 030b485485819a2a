// SPDX-License-Identifier: MIT

/// An observation attached to a sample, with labels such as a trace ID. Only for OpenMetrics.
public struct Exemplar: Sendable, Hashable {
    /// The maximum total length of label names and values in characters (OpenMetrics 1.0).
    package static let maximumLabelLength = 128

    /// The origin of the observation.
    public let labels: LabelSet
    /// The observation.
    public let value: Double
    /// The time of the observation in seconds since 1970; nil if unknown.
    public let timestamp: Double?

    /// Creates an exemplar.
    /// - Parameters:
    ///   - labels: the origin of the observation.
    ///   - value: the observation.
    ///   - timestamp: the time of the observation in seconds since 1970; nil if unknown.
    /// - Throws: ``MetricError`` if the labels exceed 128 code points or the timestamp is not finite.
    public init(labels: LabelSet, value: Double, timestamp: Double? = nil) throws(MetricError) {
        let length = labels.reduce(0) { $0 + $1.name.unicodeScalars.count + $1.value.unicodeScalars.count }
        guard length <= Self.maximumLabelLength else {
            throw MetricError(
                .invalidExemplar,
                subject: labels.first?.name ?? "",
                "an exemplar's labels have \(length) characters: use at most \(Self.maximumLabelLength)"
            )
        }
        guard timestamp?.isFinite ?? true else {
            throw MetricError(.invalidExemplar, subject: "", "an exemplar's timestamp is not finite: omit it")
        }
        self.labels = labels
        self.value = value
        self.timestamp = timestamp
    }
}
