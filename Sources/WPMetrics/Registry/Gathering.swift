// SPDX-License-Identifier: MIT

/// The result of a gather: a consistent, possibly partial exposition, and its failures.
public struct Gathering: Sendable {
    /// The families, sorted by name, with their metrics sorted by labels. No family is empty, and no series is
    /// duplicated.
    public let families: [MetricFamily]
    /// The omitted parts, with the reasons.
    public let failures: [CollectionFailure]

    /// Creates a result.
    public init(families: [MetricFamily], failures: [CollectionFailure] = []) {
        self.families = families
        self.failures = failures
    }

    /// The families with any of these names, for the parameter `name[]` of a scrape. Names of samples (`x_bucket`)
    /// select their family. An empty set selects everything.
    package func keeping(names: Set<String>) -> Gathering {
        guard !names.isEmpty else { return self }
        return Gathering(
            families: families.filter { !names.isDisjoint(with: $0.descriptor.claimedNames) },
            failures: failures
        )
    }
}

/// An omitted part of an exposition.
public struct CollectionFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The collector threw an error; none of its metrics are exposed.
        case collectorFailed = "collector_failed"
        /// The collector does not declare the family; it is not exposed.
        case undeclaredFamily = "undeclared_family"
        /// The family conflicts with an earlier one; it is not exposed.
        case conflictingFamily = "conflicting_family"
        /// Metrics do not match their family; they are not exposed.
        case invalidMetric = "invalid_metric"
        /// Several metrics have the same labels; only the first is exposed.
        case duplicateMetric = "duplicate_metric"
    }

    /// The kind of failure.
    public let code: Code
    /// The type of the collector.
    public let collector: String
    /// The family; nil if the whole collector failed.
    public let family: String?
    /// The number of omitted metrics; nil if unknown.
    public let droppedMetrics: Int?
    /// The reason for the first omission.
    public let reason: String

    /// The full message.
    public var description: String {
        guard let family else { return "\(collector) returned no metrics: \(reason)" }
        let metrics = droppedMetrics.map { $0 == 1 ? "1 metric" : "\($0) metrics" } ?? "metrics"
        return "\(collector) lost \(metrics) of \(family): \(reason)"
    }
}

/// A source of all metrics, such as a ``Registry``, for an HTTP handler.
public protocol MetricGatherer: Sendable {
    /// Returns all current metrics. Failures are part of the result.
    func gather() async -> Gathering
}
