// SPDX-License-Identifier: MIT

import WPMetrics

/// Label sets by what they say: the same ones are needed for each sample.
struct LabelCache: Sendable {
    /// Devices and mount points come and go on a host of containers; past this many the memory starts again.
    private static let maximumSets = 16_384

    /// Names and values in turn, compared by their bytes.
    private struct Key: Hashable {
        let pairs: [String]

        static func == (left: Key, right: Key) -> Bool {
            left.pairs.elementsEqual(right.pairs) { $0.utf8.elementsEqual($1.utf8) }
        }

        func hash(into hasher: inout Hasher) {
            for text in pairs {
                for byte in text.utf8 { hasher.combine(byte) }
                hasher.combine(UInt8(0xFF))
            }
        }
    }

    private var sets: [Key: LabelSet] = [:]

    mutating func set(_ pairs: [String]) -> LabelSet? {
        let key = Key(pairs: pairs)
        if let set = sets[key] { return set }
        if sets.count >= Self.maximumSets { sets = [:] }
        let labels = stride(from: 0, to: pairs.count - 1, by: 2).map { Label(pairs[$0], pairs[$0 + 1]) }
        let set = try? LabelSet(labels)
        sets[key] = set
        return set
    }
}

/// Collects families.
struct FamilyBuilder {
    private(set) var families: [MetricFamily] = []
    var labels: LabelCache

    init(_ labels: LabelCache) {
        self.labels = labels
    }

    /// A label set of names and values in turn; nil when a name is invalid.
    mutating func labels(_ pairs: String...) -> LabelSet? { labels.set(pairs) }

    /// Adds a family, without the members that have no value or no valid labels. A family without members is not added;
    /// nor is one whose name is not valid, which can only come from a kernel's field.
    mutating func add(
        _ name: String,
        _ help: String,
        type: MetricType = .gauge,
        _ members: [(LabelSet?, Double?)]
    ) {
        let metrics = members.compactMap { labels, value -> Metric? in
            guard let labels, let value else { return nil }
            return Metric(labels: labels, value: value)
        }
        guard !metrics.isEmpty, let descriptor = try? MetricDescriptor(name: name, help: help, type: type) else {
            return
        }
        families.append(MetricFamily(descriptor, metrics))
    }

    /// Adds a gauge without labels, unless it has no value.
    mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
        add(name, help, [(.empty, value)])
    }

    /// Adds a counter without labels, unless it has no value.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64?) {
        add(name, help, type: .counter, [(.empty, value.map { Double($0) })])
    }
}
