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

    /// Adds what fits of a family.
    /// - Parameter declared: the descriptors of the collector; empty when it declares none.
    mutating func add(_ family: MetricFamily, from collector: String, declared: Set<MetricDescriptor>) {
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
                members[family.name] = Member(family: MetricFamily(family.descriptor, metrics), collector: collector)
            } catch {
                drop(family, collector, .conflictingFamily, error.description)
            }
        }
    }

    /// Sorts everything and leaves duplicates out.
    consuming func build() -> Gathering {
        var families: [MetricFamily] = []
        families.reserveCapacity(members.count)
        for name in members.keys.sorted() {
            guard var member = members.removeValue(forKey: name) else { continue }
            sort(&member)
            families.append(member.family)
        }
        return Gathering(families: families, failures: failures)
    }

    private mutating func fitting(_ family: MetricFamily, _ collector: String) -> [Metric] {
        var fault: MetricError?
        let metrics = family.metrics
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

    private mutating func sort(_ member: inout Member) {
        let metrics = member.family.metrics
        guard !zip(metrics, metrics.dropFirst()).allSatisfy({ Self.compare($0, $1) < 0 }) else { return }
        // Positions are sorted and not metrics, which are six times as large and counted references inside. Of equal
        // ones the first comes first, and is the one that stays.
        let order = metrics.withUnsafeBufferPointer { metrics in
            metrics.indices.sorted { left, right in
                let difference = Self.compare(metrics[left], metrics[right])
                return difference == 0 ? left < right : difference < 0
            }
        }
        var unique: [Metric] = []
        unique.reserveCapacity(metrics.count)
        var duplicate: Metric?
        for position in order {
            let metric = metrics[position]
            if let last = unique.last, Self.compare(last, metric) == 0 {
                duplicate = duplicate ?? metric
            } else {
                unique.append(metric)
            }
        }
        if let duplicate {
            drop(
                member.family,
                member.collector,
                .duplicateMetric,
                "the labels \(duplicate.labels) are there twice",
                count: metrics.count - unique.count
            )
        }
        member.family.metrics = unique
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
