// SPDX-License-Identifier: MIT

/// Puts the families of several collectors together, leaves out what does not fit, and says so.
struct GatheringBuilder {
    private struct Member {
        var family: MetricFamily
        let collector: String
    }

    private var members: [String: Member] = [:]
    private var claims = NameClaims()
    private var failures: [CollectionFailure] = []

    /// Notes that a collector gave nothing.
    mutating func fail(_ collector: String, _ error: any Error) {
        failures.append(
            CollectionFailure(
                code: .collectorFailed,
                collector: collector,
                family: nil,
                droppedMetrics: nil,
                reason: String(describing: error)
            )
        )
    }

    /// Adds the valid metrics of a family.
    /// - Parameters:
    ///   - collector: the type of its collector.
    ///   - declared: the descriptors of the collector; empty when it declares none.
    mutating func add(
        _ family: MetricFamily,
        from collector: String,
        declared: Set<MetricDescriptor>
    ) {
        guard declared.isEmpty || declared.contains(family.descriptor) else {
            return drop(family, collector, .undeclaredFamily, "its collector does not declare it")
        }
        let metrics = fitting(family, collector)
        guard !metrics.isEmpty else { return }
        if let known = members[family.name] {
            guard known.family.descriptor == family.descriptor else {
                return drop(
                    family,
                    collector,
                    .conflictingFamily,
                    "\(known.collector) gives it with another type, help, unit or labels"
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
                drop(family, collector, .conflictingFamily, error.description)
            }
        }
    }

    /// Sorts everything and leaves duplicates out.
    consuming func build() -> Gathering {
        var families: [MetricFamily] = []
        families.reserveCapacity(members.count)
        for (_, member) in members.sorted(by: { $0.key < $1.key }) { families.append(sorted(member)) }
        return Gathering(families: families, failures: failures)
    }

    private mutating func fitting(_ family: MetricFamily, _ collector: String) -> [Metric] {
        let metrics = family.metrics
        // Nearly always all of them fit, and nothing has to be copied.
        if family.isSound || MetricCheck.fits(metrics, family.descriptor) { return metrics }
        var fault: MetricError?
        let fitting = metrics.filter { metric in
            guard let found = MetricCheck.fault(in: metric, of: family.descriptor) else { return true }
            fault = fault ?? found
            return false
        }
        if let fault {
            let count = metrics.count - fitting.count
            drop(family, collector, .invalidMetric, fault.description, count: count)
        }
        return fitting
    }

    private mutating func sorted(_ member: Member) -> MetricFamily {
        if member.family.isSound { return member.family }
        let (unique, duplicate) = Self.sorted(member.family.metrics)
        if let duplicate {
            drop(
                member.family,
                member.collector,
                .duplicateMetric,
                "the labels \(duplicate.labels) are used twice",
                count: member.family.metrics.count - unique.count
            )
        }
        return MetricFamily(sound: member.family.descriptor, unique)
    }

    /// A family as an exposition shows it; nil when something of it would have to be left out.
    static func sound(_ family: MetricFamily) -> MetricFamily? {
        if family.isSound { return family }
        guard MetricCheck.fits(family.metrics, family.descriptor) else { return nil }
        let (unique, duplicate) = sorted(family.metrics)
        return duplicate == nil ? MetricFamily(sound: family.descriptor, unique) : nil
    }

    /// The metrics in order without duplicates, and the first of those left out.
    private static func sorted(_ metrics: [Metric]) -> (unique: [Metric], duplicate: Metric?) {
        guard !ascends(metrics) else { return (metrics, nil) }
        // Positions are sorted and not metrics, which are six times as large and counted references inside. Of equal
        // ones the first comes first, and is the one that stays.
        let order = metrics.withUnsafeBufferPointer { metrics in
            metrics.indices.sorted { left, right in
                let difference = compare(metrics[left], metrics[right])
                return difference == 0 ? left < right : difference < 0
            }
        }
        var unique: [Metric] = []
        unique.reserveCapacity(metrics.count)
        var duplicate: Metric?
        for position in order {
            let metric = metrics[position]
            if let last = unique.last, compare(last, metric) == 0 {
                duplicate = duplicate ?? metric
            } else {
                unique.append(metric)
            }
        }
        return (unique, duplicate)
    }

    /// Whether each comes before the next.
    private static func ascends(_ metrics: [Metric]) -> Bool {
        metrics.withUnsafeBufferPointer { metrics in
            guard var last = metrics.first?.labels.unsafeRendered else { return true }
            for index in metrics.indices.dropFirst() {
                let next = metrics[index].labels.unsafeRendered
                let difference = LabelSet.compare(last, next)
                // Only of equal labels does the time decide.
                guard difference < 0 || (difference == 0 && compare(metrics[index - 1], metrics[index]) < 0) else {
                    return false
                }
                last = next
            }
            return true
        }
    }

    private mutating func drop(
        _ family: MetricFamily,
        _ collector: String,
        _ code: CollectionFailure.Code,
        _ reason: String,
        count: Int? = nil
    ) {
        failures.append(
            CollectionFailure(
                code: code,
                collector: collector,
                family: family.name,
                droppedMetrics: count ?? family.metrics.count,
                reason: reason
            )
        )
    }

    /// By labels, then by time.
    private static func compare(_ lhs: Metric, _ rhs: Metric) -> Int {
        let difference = lhs.labels.compare(rhs.labels)
        guard difference == 0 else { return difference }
        let (left, right) = (lhs.timestamp ?? -.infinity, rhs.timestamp ?? -.infinity)
        return left < right ? -1 : left > right ? 1 : 0
    }
}
