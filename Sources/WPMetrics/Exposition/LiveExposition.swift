// SPDX-License-Identifier: MIT

import Synchronization

/// Repeated expositions of a registry: a scrape checks and encodes only the families that differ from the last scrape's.
///
/// A collector that returns the same array of metrics as before is recognised by the array's address. The result is byte for byte
/// what ``ExpositionFormat/encode(_:)`` makes of ``Registry/gather()``.
package final class LiveExposition: Sendable {
    /// One exposition.
    package struct Scrape: Sendable {
        /// The exposition in order, divided so that what changes at every scrape is apart from what does not. Joined, the parts
        /// are the whole exposition.
        package let parts: [[UInt8]]
        /// What was left out, and why.
        package let failures: [CollectionFailure]
    }

    /// A family as a scrape wrote it.
    private struct Encoded {
        var family: MetricFamily
        var bytes: [UInt8]
        /// In how many scrapes in a row the bytes changed.
        var changes = 0
    }

    /// A family as a collector gave it, and the same checked and sorted.
    private struct Checked {
        var given: MetricFamily
        var sound: MetricFamily
    }

    /// Which families the collectors gave in a gather without failures or merged families, in the order of the collectors.
    private struct Layout {
        var collectors: [UInt64]
        var descriptors: [MetricDescriptor]
        /// The indices of the families in the order of their names.
        var order: [Int]
    }

    private struct State {
        var layout: Layout?
        var checked: [String: Checked] = [:]
        var encoded: [String: Encoded] = [:]
    }

    /// A family of this size is a part of its own, in bytes.
    private static let largeSize = 16 << 10

    private let registry: Registry
    private let text = Mutex(State())
    private let openMetrics = Mutex(State())
    private let lastSize = Atomic<Int>(.max)

    /// Creates one that has encoded nothing yet.
    package init(of registry: Registry) {
        self.registry = registry
    }

    /// The size of the last exposition in bytes; `Int.max` before the first.
    package var size: Int { lastSize.load(ordering: .relaxed) }

    /// Asks the collectors and encodes what they give.
    package nonisolated(nonsending) func scrape(as format: ExpositionFormat) async -> Scrape {
        let answers = await registry.answers()
        let scrape =
            switch format.syntax {
            case .text: text.withLock { Self.scrape(format.syntax, answers, &$0) }
            case .openMetrics: openMetrics.withLock { Self.scrape(format.syntax, answers, &$0) }
            }
        lastSize.store(scrape.parts.reduce(0) { $0 + $1.count }, ordering: .relaxed)
        return scrape
    }

    private static func scrape(
        _ syntax: ExpositionFormat.Syntax,
        _ answers: [Registry.Answer],
        _ state: inout State
    ) -> Scrape {
        let gathering = gather(answers, &state)
        var runs: [[[UInt8]]] = []
        var encoded: [String: Encoded] = [:]
        encoded.reserveCapacity(gathering.families.count)
        var last: (changes: Bool, isLarge: Bool)?
        for family in gathering.families {
            let entry = encode(family, syntax, after: state.encoded.removeValue(forKey: family.name))
            encoded[family.name] = entry
            let kind = (changes: entry.changes > 1, isLarge: entry.bytes.count >= largeSize)
            if let last, last == kind, !kind.isLarge {
                runs[runs.count - 1].append(entry.bytes)
            } else {
                runs.append([entry.bytes])
            }
            last = kind
        }
        state.encoded = encoded
        // Families that left are forgotten, so that names that come and go do not add up.
        if state.checked.count > encoded.count { state.checked = state.checked.filter { encoded[$0.key] != nil } }
        var parts = runs.map(joined)
        if syntax == .openMetrics {
            var end: [UInt8] = []
            OpenMetricsFormat.encodeEnd(into: &end)
            parts.append(end)
        }
        return Scrape(parts: parts, failures: gathering.failures)
    }

    /// Checks and sorts what the collectors gave. While they give the same families as before, whatever their numbers, their names
    /// need no check: that takes 100 µs.
    private static func gather(_ answers: [Registry.Answer], _ state: inout State) -> Gathering {
        let collectors = answers.map(\.entry.id)
        var given: [MetricFamily] = []
        var isWhole = true
        for answer in answers {
            guard case .success(let families) = answer.families else {
                isWhole = false
                break
            }
            for family in families where !family.metrics.isEmpty {
                let family = check(family, &state.checked)
                isWhole = isWhole && family.isSound
                given.append(family)
            }
        }
        if isWhole, let layout = state.layout, layout.collectors == collectors, layout.descriptors.count == given.count,
            zip(layout.descriptors, given).allSatisfy({ $0 == $1.descriptor })
        {
            return Gathering(families: layout.order.map { given[$0] })
        }
        let gathering = Registry.assemble(answers) { check($0, &state.checked) }
        state.layout = nil
        if isWhole, gathering.failures.isEmpty, gathering.families.count == given.count {
            let order = given.indices.sorted { given[$0].name < given[$1].name }
            state.layout = Layout(collectors: collectors, descriptors: given.map(\.descriptor), order: order)
        }
        return gathering
    }

    private static func check(_ family: MetricFamily, _ checked: inout [String: Checked]) -> MetricFamily {
        guard !family.isSound else { return family }
        if let known = checked[family.name], known.given.isIdentical(to: family) { return known.sound }
        let sound = GatheringBuilder.sound(family)
        checked[family.name] = sound.map { Checked(given: family, sound: $0) }
        return sound ?? family
    }

    private static func joined(_ run: [[UInt8]]) -> [UInt8] {
        guard run.count > 1 else { return run[0] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(run.reduce(0) { $0 + $1.count })
        for family in run { bytes += family }
        return bytes
    }

    private static func encode(
        _ family: MetricFamily,
        _ syntax: ExpositionFormat.Syntax,
        after last: Encoded?
    ) -> Encoded {
        if var last, last.family.isIdentical(to: family) {
            last.changes = 0
            return last
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(family.estimatedSize)
        switch syntax {
        case .text: TextFormat.encode(family, into: &bytes)
        case .openMetrics: OpenMetricsFormat.encode(family, into: &bytes)
        }
        guard let last else { return Encoded(family: family, bytes: bytes) }
        return Encoded(family: family, bytes: bytes, changes: last.bytes == bytes ? 0 : last.changes + 1)
    }
}
