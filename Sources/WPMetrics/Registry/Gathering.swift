// SPDX-License-Identifier: MIT

/// The result of a gather: a consistent, possibly partial, exposition and what is missing from it.
public struct Gathering: Sendable {
    /// The families by name, the metrics of each by labels; no family is empty and no series is duplicated.
    public let families: [MetricFamily]
    /// What was left out, and why.
    public let failures: [CollectionFailure]

    /// Creates a result.
    public init(families: [MetricFamily], failures: [CollectionFailure] = []) {
        self.families = families
        self.failures = failures
    }

    /// The families that have one of these names, for the parameter `name[]` of a scrape. The names of samples
    /// (`x_bucket`) select their family too. No names select everything.
    package func keeping(names: Set<String>) -> Gathering {
        guard !names.isEmpty else { return self }
        return Gathering(
            families: families.filter { !names.isDisjoint(with: $0.descriptor.claimedNames) },
            failures: failures
        )
    }
}

/// A part of an exposition that was left out.
public struct CollectionFailure: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The collector threw an error; nothing of it is exposed.
        case collectorFailed = "collector_failed"
        /// The family is not one that the collector declares; it is not exposed.
        case undeclaredFamily = "undeclared_family"
        /// The family contradicts one that came before it; it is not exposed.
        case conflictingFamily = "conflicting_family"
        /// Metrics do not fit their family; they are not exposed.
        case invalidMetric = "invalid_metric"
        /// Metrics have the labels of another one; only the first is exposed.
        case duplicateMetric = "duplicate_metric"
    }

    /// What kind of failure it is.
    public let code: Code
    /// The type of the collector.
    public let collector: String
    /// The family; nil when the whole collector failed.
    public let family: String?
    /// How many metrics are missing; nil when that is not known.
    public let droppedMetrics: Int?
    /// Why, for the first of them.
    public let reason: String

    /// The whole sentence.
    public var description: String {
        guard let family else { return "\(collector) gave no metrics: \(reason)" }
        let metrics = droppedMetrics.map { $0 == 1 ? "1 metric" : "\($0) metrics" } ?? "metrics"
        return "\(collector) lost \(metrics) of \(family): \(reason)"
    }
}

/// A source of all metrics at once, such as a ``Registry``: what an HTTP handler needs.
public protocol MetricGatherer: Sendable {
    /// Returns all current metrics. It does not throw: failures are reported with the result.
    func gather() async -> Gathering
}
