// SPDX-License-Identifier: MIT

/// One observation shown with the number that it is part of, with labels such as a trace id. Only OpenMetrics shows it.
public struct Exemplar: Sendable, Hashable {
    /// How many characters the names and values of the labels may have together (OpenMetrics 1.0).
    package static let maximumLabelLength = 128

    private final class Storage: Sendable, Hashable {
        let labels: LabelSet
        let value: Double
        let timestamp: Double?

        init(labels: LabelSet, value: Double, timestamp: Double?) {
            self.labels = labels
            self.value = value
            self.timestamp = timestamp
        }

        static func == (lhs: Storage, rhs: Storage) -> Bool {
            lhs.labels == rhs.labels && lhs.value == rhs.value && lhs.timestamp == rhs.timestamp
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(labels)
            hasher.combine(value)
            hasher.combine(timestamp)
        }
    }

    // A reference, so that the many metrics without an exemplar pay eight bytes for it.
    private let storage: Storage

    /// Where the observation came from.
    public var labels: LabelSet { storage.labels }
    /// The observation.
    public var value: Double { storage.value }
    /// When it was made, in seconds since 1970; nil when that is unknown.
    public var timestamp: Double? { storage.timestamp }

    /// Creates an exemplar.
    /// - Parameters:
    ///   - labels: where the observation came from.
    ///   - value: the observation.
    ///   - timestamp: when it was made, in seconds since 1970; nil when that is unknown.
    /// - Throws: ``MetricError`` when the labels are longer than 128 code points or the time is not finite.
    public init(labels: LabelSet, value: Double, timestamp: Double? = nil) throws(MetricError) {
        let length = labels.reduce(0) { $0 + $1.name.unicodeScalars.count + $1.value.unicodeScalars.count }
        guard length <= Self.maximumLabelLength else {
            throw MetricError(
                .invalidExemplar,
                subject: labels.first?.name ?? "",
                "an exemplar's labels have \(length) characters: leave some out, \(Self.maximumLabelLength) are allowed"
            )
        }
        guard timestamp?.isFinite ?? true else {
            throw MetricError(.invalidExemplar, subject: "", "an exemplar's timestamp is not finite: leave it out")
        }
        storage = Storage(labels: labels, value: value, timestamp: timestamp)
    }
}
