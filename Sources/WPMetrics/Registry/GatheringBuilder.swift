// SPDX-License-Identifier: MIT

/// Merges the families of several collectors, and omits and reports invalid ones.
struct GatheringBuilder {
    private struct Member {
        var family: MetricFamily
        let collector: any MetricCollector.Type
    }

    private var members: [String: Member] = [:]
    private var claims = NameClaims()
    private var failures: [CollectionFailure] = []

    /// Records that a collector failed.
    mutating func fail(_ collector: any MetricCollector.Type, _ error: any Error) {
        failures.append(
            CollectionFailure(
                code: .collectorFailed,
                collector: String(describing: collector),
                family: nil,
                droppedMetrics: nil,
                reason: String(describing: error)
            )
        )
    }

    /// Adds the valid metrics of a family.
    /// - Parameters:
    ///   - collector: the type of its collector.
    ///   - declared: the descriptors of the collector; empty if it declares none.
    mutating func add(
        _ family: MetricFamily,
        from collector: any MetricCollector.Type,
        declared: Set<MetricDescriptor>
    ) {
        guard declared.isEmpty || declared.contains(family.descriptor) else {
            return drop(family, of: collector, .undeclaredFamily, reason: "its collector does not declare it")
        }
        let metrics = fitting(family, collector)
        guard !metrics.isEmpty else { return }
        if let known = members[family.name] {
            guard known.family.descriptor == family.descriptor else {
                return drop(
                    family,
                    of: collector,
                    .conflictingFamily,
                    reason: "\(known.collector) returns it with another type, help, unit or labels"
                )
            }
            members[family.name]?.family.metrics += metrics
        } else {
            do {
                try claims.claim(family.descriptor)
                let isWhole = metrics.count == family.metrics.count
                members[family.name] = Member(
                    family: isWhole ? family : MetricFamily(family.descriptor, metrics),
                    collector: collector
                )
            } catch {
                drop(family, of: collector, .conflictingFamily, reason: error.description)
            }
        }
    }

    /// Sorts everything and removes duplicates.
    consuming func build() -> Gathering {
        var families: [MetricFamily] = []
        families.reserveCapacity(members.count)
        for (_, member) in members.sorted(by: { $0.key < $1.key }) { families.append(sorted(member)) }
        return Gathering(families: families, failures: failures)
    }

    private mutating func fitting(_ family: MetricFamily, _ collector: any MetricCollector.Type) -> [Metric] {
        let metrics = family.metrics
        // Usually all are valid, and nothing is copied.
        if family.isKnownValid || MetricCheck.fits(metrics, family.descriptor) { return metrics }
        var fault: MetricError?
        let fitting = metrics.filter { metric in
            guard let found = MetricCheck.fault(in: metric, of: family.descriptor) else { return true }
            fault = fault ?? found
            return false
        }
        if let fault {
            let count = metrics.count - fitting.count
            drop(family, of: collector, .invalidMetric, reason: fault.description, count: count)
        }
        return fitting
    }

    private mutating func sorted(_ member: Member) -> MetricFamily {
        if member.family.isKnownValid { return member.family }
        let (unique, duplicate) = Self.sorted(member.family.metrics)
        if let duplicate {
            drop(
                member.family,
                of: member.collector,
                .duplicateMetric,
                reason: "the labels \(duplicate.labels) are used twice",
                count: member.family.metrics.count - unique.count
            )
        }
        return MetricFamily(valid: member.family.descriptor, unique)
    }

    /// The family for an exposition; nil if something must be omitted.
    static func validated(_ family: MetricFamily) -> MetricFamily? {
        if family.isKnownValid { return family }
        guard MetricCheck.fits(family.metrics, family.descriptor) else { return nil }
        let (unique, duplicate) = sorted(family.metrics)
        return duplicate == nil ? MetricFamily(valid: family.descriptor, unique) : nil
    }

    /// The sorted metrics without duplicates, and the first duplicate.
    private static func sorted(_ metrics: [Metric]) -> (unique: [Metric], duplicate: Metric?) {
        guard !isSorted(metrics) else { return (metrics, nil) }
        var unique: [Metric] = []
        unique.reserveCapacity(metrics.count)
        var duplicate: Metric?
        // Stable, so that the first of equal metrics is kept.
        for metric in metrics.sorted(by: { compare($0, $1) < 0 }) {
            if let last = unique.last, compare(last, metric) == 0 {
                duplicate = duplicate ?? metric
            } else {
                unique.append(metric)
            }
        }
        return (unique, duplicate)
    }

    /// Whether the metrics are strictly ascending.
    private static func isSorted(_ metrics: [Metric]) -> Bool {
        metrics.indices.dropFirst().allSatisfy { compare(metrics[$0 - 1], metrics[$0]) < 0 }
    }

    private mutating func drop(
        _ family: MetricFamily,
        of collector: any MetricCollector.Type,
        _ code: CollectionFailure.Code,
        reason: String,
        count: Int? = nil
    ) {
        failures.append(
            CollectionFailure(
                code: code,
                collector: String(describing: collector),
                family: family.name,
                droppedMetrics: count ?? family.metrics.count,
                reason: reason
            )
        )
    }

    /// Orders by labels, then by time.
    private static func compare(_ lhs: Metric, _ rhs: Metric) -> Int {
        let difference = lhs.labels.compare(rhs.labels)
        guard difference == 0 else { return difference }
        let (left, right) = (lhs.timestamp ?? -.infinity, rhs.timestamp ?? -.infinity)
        return left < right ? -1 : left > right ? 1 : 0
    }
}
