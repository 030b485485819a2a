// SPDX-License-Identifier: MIT

/// Puts the families of several collectors together, leaves out what does not fit, and says so.
struct GatheringBuilder {
    /// A family that was found in order, and what it became: the same, or sorted.
    struct Checked {
        let given: MetricFamily
        let sound: MetricFamily
    }

    private struct Member {
        var family: MetricFamily
        let collector: String
        /// The family as its only collector gave it, while nothing of it was left out.
        var whole: MetricFamily?
    }

    /// What earlier gathers have checked.
    struct Memory {
        /// The families to compare with, by name.
        fileprivate var checked: [String: Checked] = [:]
        /// The families that have come as they were before. They are remembered at each gather; others, which may be
        /// large and are most likely made anew each time, at some gathers only.
        fileprivate var steady: Set<String> = []
        fileprivate var gathers = 0

        /// At so many gathers one is remembered whole.
        private static let probingInterval = 4

        fileprivate var isProbing: Bool { gathers.isMultiple(of: Self.probingInterval) }
    }

    private var memory: Memory
    private var members: [String: Member] = [:]
    private var claims = NameClaims()
    private var failures: [CollectionFailure] = []

    /// - Parameter memory: what earlier gathers have checked. A family that comes as it was then is not checked again.
    init(memory: Memory) {
        self.memory = memory
    }

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
        let checked = memory.checked[family.name].flatMap { $0.given.isIdentical(to: family) ? $0.sound : nil }
        if checked != nil { memory.steady.insert(family.name) }
        let metrics = checked?.metrics ?? fitting(family, collector)
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
            members[family.name]?.whole = nil
        } else {
            do {
                try claims.claim(family.descriptor)
                if let checked {
                    members[family.name] = Member(family: checked, collector: collector, whole: family)
                } else if metrics.count == family.metrics.count {
                    members[family.name] = Member(family: family, collector: collector, whole: family)
                } else {
                    members[family.name] = Member(
                        family: MetricFamily(family.descriptor, metrics),
                        collector: collector,
                        whole: nil
                    )
                }
            } catch {
                drop(family, collector, .conflictingFamily, error.description)
            }
        }
    }

    /// Sorts everything and leaves duplicates out.
    /// - Returns: the families, and what the next gather may take as checked.
    consuming func build() -> (gathering: Gathering, memory: Memory) {
        var checked: [String: Checked] = [:]
        var families: [MetricFamily] = []
        families.reserveCapacity(members.count)
        for name in members.keys.sorted() {
            guard var member = members.removeValue(forKey: name) else { continue }
            sort(&member)
            families.append(member.family)
            // What was sound as it came would not be checked anyway.
            if let whole = member.whole, !whole.isSound, memory.isProbing || memory.steady.contains(name) {
                checked[name] = Checked(given: whole, sound: member.family)
            }
        }
        memory.checked = checked
        memory.steady.formIntersection(checked.keys)
        memory.gathers &+= 1
        return (Gathering(families: families, failures: failures), memory)
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

    private mutating func sort(_ member: inout Member) {
        if member.family.isSound { return }
        let metrics = member.family.metrics
        guard !Self.ascends(metrics) else {
            member.family = MetricFamily(sound: member.family.descriptor, metrics)
            return
        }
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
            member.whole = nil
            drop(
                member.family,
                member.collector,
                .duplicateMetric,
                "the labels \(duplicate.labels) are there twice",
                count: metrics.count - unique.count
            )
        }
        member.family = MetricFamily(sound: member.family.descriptor, unique)
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
