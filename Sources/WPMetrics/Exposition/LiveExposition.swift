// SPDX-License-Identifier: MIT

import Synchronization

/// Repeated expositions of a registry. A scrape checks and encodes only the families that have changed since the last
/// one.
///
/// The output is the same as that of ``ExpositionFormat/encode(_:)`` for the families of ``Registry/gather()``, except
/// that a change between 0 and -0 is not visible, because they are equal.
package final class LiveExposition: Sendable {
    /// One exposition.
    package struct Scrape: Sendable {
        /// The exposition in order, split so that families that change at every scrape are separate from the others.
        package let parts: [[UInt8]]
        /// The omitted parts, with the reasons.
        package let failures: [CollectionFailure]
    }

    /// A family of the last scrape.
    private struct Entry {
        /// As returned by its collector.
        var returned: MetricFamily
        /// Checked and sorted.
        var valid: MetricFamily
        var bytes: [UInt8]
        /// The number of consecutive scrapes in which the metrics changed.
        var changes = 0

        var isLarge: Bool { bytes.count >= LiveExposition.largeSize }
        /// Whether it is expected to change at the next scrape.
        var isChanging: Bool { changes > 1 }
    }

    /// Adjacent families that are sent together.
    private struct Part {
        let families: Range<Int>
        let bytes: [UInt8]
    }

    private struct State {
        /// The collectors of the last gather if nothing was omitted or merged; nil otherwise.
        var collectors: [UInt64]?
        /// The families, sorted by name.
        var entries: [Entry] = []
        /// The index in `entries` of each family, in the order of the collectors.
        var entryIndices: [Int] = []
        /// The parts of the last scrape.
        var parts: [Part] = []
    }

    /// The size in bytes from which a family is a separate part.
    private static let largeSize = 16 << 10

    private let registry: Registry
    private let text = Mutex(State())
    private let openMetrics = Mutex(State())
    private let lastSize = Atomic<Int>(.max)

    /// Creates an empty exposition.
    package init(of registry: Registry) {
        self.registry = registry
    }

    /// The size of the last exposition in bytes; `Int.max` before the first.
    package var size: Int { lastSize.load(ordering: .relaxed) }

    /// Gathers from the collectors and encodes the result.
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
        let failures = update(&state, answers, syntax) ? [] : rebuild(&state, answers, syntax)
        state.parts = ranges(of: state.entries).map { range in
            let entries = state.entries[range]
            if entries.allSatisfy({ $0.changes == 0 }), let last = state.parts.first(where: { $0.families == range }) {
                return last
            }
            return Part(families: range, bytes: joined(entries))
        }
        var parts = state.parts.map(\.bytes)
        if syntax == .openMetrics {
            var end: [UInt8] = []
            OpenMetricsFormat.encodeEnd(into: &end)
            parts.append(end)
        }
        return Scrape(parts: parts, failures: failures)
    }

    /// The indices of the families in each part. Families that change are separate from the others, and a large one is
    /// separate from all.
    private static func ranges(of entries: [Entry]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for index in entries.indices {
            if let last = ranges.last, !entries[index].isLarge, !entries[index - 1].isLarge,
                entries[index].isChanging == entries[index - 1].isChanging
            {
                ranges[ranges.count - 1] = last.lowerBound..<index + 1
            } else {
                ranges.append(index..<index + 1)
            }
        }
        return ranges
    }

    private static func joined(_ entries: ArraySlice<Entry>) -> [UInt8] {
        if let first = entries.first, entries.count == 1 { return first.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(0) { $0 + $1.bytes.count })
        for entry in entries { bytes += entry.bytes }
        return bytes
    }

    /// Encodes the families that have changed, if the collectors return the same families as before. Skips the check of
    /// names, which takes 100 µs.
    /// - Returns: false if they do not, or if something must be omitted; some entries may already have been updated.
    private static func update(
        _ state: inout State,
        _ answers: [Registry.Answer],
        _ syntax: ExpositionFormat.Syntax
    ) -> Bool {
        guard let collectors = state.collectors, collectors.elementsEqual(answers.lazy.map(\.entry.id)) else {
            return false
        }
        var count = 0
        for answer in answers {
            guard case .success(let families) = answer.families else { return false }
            for family in families where !family.metrics.isEmpty {
                guard count < state.entryIndices.count else { return false }
                let index = state.entryIndices[count]
                guard state.entries[index].returned.descriptor == family.descriptor else { return false }
                count += 1
                if state.entries[index].returned.metrics == family.metrics {
                    state.entries[index].changes = 0
                } else {
                    guard let valid = GatheringBuilder.validated(family) else { return false }
                    state.entries[index] = Entry(
                        returned: family,
                        valid: valid,
                        bytes: encode(valid, syntax),
                        changes: state.entries[index].changes + 1
                    )
                }
            }
        }
        return count == state.entryIndices.count
    }

    /// Assembles all families, and encodes those that have changed.
    /// - Returns: the omitted parts.
    private static func rebuild(
        _ state: inout State,
        _ answers: [Registry.Answer],
        _ syntax: ExpositionFormat.Syntax
    ) -> [CollectionFailure] {
        let known = Dictionary(state.entries.map { ($0.valid.name, $0) }) { first, _ in first }
        var returned: [MetricFamily] = []
        let gathering = Registry.assemble(answers) { family in
            if !family.metrics.isEmpty { returned.append(family) }
            guard let last = known[family.name], last.returned == family else {
                return GatheringBuilder.validated(family) ?? family
            }
            return last.valid
        }
        let isWhole = gathering.failures.isEmpty && gathering.families.count == returned.count
        state.collectors = isWhole ? answers.map(\.entry.id) : nil
        state.parts = []
        // If something was omitted or merged, a family differs from what its collector returned.
        let returnedByName = Dictionary((isWhole ? returned : []).map { ($0.name, $0) }) { first, _ in first }
        state.entries = gathering.families.map { family in
            if let last = known[family.name], last.valid == family {
                return Entry(returned: last.returned, valid: last.valid, bytes: last.bytes)
            }
            return Entry(
                returned: returnedByName[family.name] ?? family,
                valid: family,
                bytes: encode(family, syntax),
                changes: known[family.name].map { $0.changes + 1 } ?? 0
            )
        }
        let indices = Dictionary(state.entries.indices.map { (state.entries[$0].valid.name, $0) }) { first, _ in first }
        state.entryIndices = (isWhole ? returned : []).map { family in
            guard let index = indices[family.name] else { preconditionFailure("\(family.name) was lost") }
            return index
        }
        return gathering.failures
    }

    private static func encode(_ family: MetricFamily, _ syntax: ExpositionFormat.Syntax) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(family.estimatedSize)
        switch syntax {
        case .text: TextFormat.encode(family, into: &bytes)
        case .openMetrics: OpenMetricsFormat.encode(family, into: &bytes)
        }
        return bytes
    }
}
