// SPDX-License-Identifier: MIT

/// An encoded exposition that is updated in parts: it knows the position of each family of each collector.
///
/// The plan holds as long as the same collectors give the same families, whatever their numbers. For everything else, the
/// registry's checks decide, and a new plan is made of what they come to.
struct ExpositionPlan {
    /// What one collector gave.
    private struct Source {
        /// As it came; nil when it gave nothing but an error.
        var given: [MetricFamily]?
        /// The collector's cache, if it has one: whether the families have changed.
        let cache: FamilyCache?
        /// The number under which the cache has it; 0 when that is not known.
        var version: UInt64 = 0
        /// For each of these families its slot; nil for one without metrics.
        var slots: [Int?]
        /// Whether each of them is in the exposition, alone under its name.
        let isWhole: Bool
    }

    /// The place of one family in the exposition.
    private struct Slot {
        var family: MetricFamily
        let source: Int?
        var run = 0
        /// In how many updates it changed.
        var changes = 0
        /// How it is written as long as it has the same series; nil when there is no such template, or not yet.
        var template: FamilyTemplate?
    }

    /// After this many updates, the families that change at nearly every one are known.
    private static let updatesToLearn = 16

    /// What was left out, and why.
    let failures: [CollectionFailure]
    private let syntax: ExpositionFormat.Syntax
    private let revision: UInt64
    private var sources: [Source]
    private var slots: [Slot]
    private var runs: [ExpositionRun] = []
    private var updates = 0
    private var scratch: [UInt8] = []
    private let end: ExpositionSegment?

    /// - Parameters:
    ///   - syntax: the language to encode in.
    ///   - outcome: what the registry's checks have come to.
    ///   - answers: what each collector gave.
    ///   - roster: the collectors.
    init(
        _ syntax: ExpositionFormat.Syntax,
        _ outcome: GatheringBuilder.Outcome,
        _ answers: [Registry.Answer],
        _ roster: Registry.Roster
    ) {
        self.syntax = syntax
        revision = roster.revision
        failures = outcome.gathering.failures
        slots = zip(outcome.gathering.families, outcome.origins).map { Slot(family: $0, source: $1?.collector) }
        var places = answers.map { answer in [Int?](repeating: nil, count: (try? answer.get())?.count ?? 0) }
        for (slot, origin) in outcome.origins.enumerated() {
            if let origin { places[origin.collector][origin.family] = slot }
        }
        sources = zip(answers, zip(places, roster.entries)).map { answer, place in
            let (slots, entry) = place
            let cache = entry.caching?.cache
            guard let given = try? answer.get() else {
                return Source(given: nil, cache: cache, slots: [], isWhole: false)
            }
            return Source(
                given: given,
                cache: cache,
                slots: slots,
                isWhole: zip(given, slots).allSatisfy { $0.metrics.isEmpty || $1 != nil }
            )
        }
        var end: [UInt8] = []
        syntax.encodeEnd(into: &end)
        self.end = end.isEmpty ? nil : ExpositionSegment(end)
        layOut()
    }

    /// Takes in what the collectors give now.
    /// - Returns: whether the plan still holds; it is of no use when it does not.
    mutating func update(_ roster: Registry.Roster, _ waitedFor: [Int: Registry.Answer]) -> Bool {
        guard roster.revision == revision else { return false }
        updates &+= 1
        for index in roster.entries.indices {
            let families: [MetricFamily]?
            if let cache = sources[index].cache {
                switch cache.standing(of: sources[index].version) {
                case .same: continue
                case .other(let given):
                    sources[index].version = given.version
                    families = given.families
                case .changed:
                    let given = roster.entries[index].caching?.collectAnew()
                    sources[index].version = given?.version ?? 0
                    families = given?.families
                }
            } else if let collector = roster.entries[index].immediate {
                families = try? collector.collectNow()
            } else {
                families = try? waitedFor[index]?.get()
            }
            guard let families, let given = sources[index].given else { return false }
            guard !families.isIdentical(to: given) else { continue }
            guard update(index, given, families) else { return false }
        }
        if updates == Self.updatesToLearn || runs.contains(where: { $0.isOvergrown }) { layOut() }
        return true
    }

    private mutating func update(_ source: Int, _ given: [MetricFamily], _ families: [MetricFamily]) -> Bool {
        guard sources[source].isWhole, families.count == given.count else { return false }
        for index in families.indices where !families[index].isIdentical(to: given[index]) {
            guard families[index].descriptor == given[index].descriptor else { return false }
            guard let slot = sources[source].slots[index] else {
                guard families[index].metrics.isEmpty else { return false }
                continue
            }
            guard !families[index].metrics.isEmpty, let sound = GatheringBuilder.sound(families[index]) else {
                return false
            }
            slots[slot].family = sound
            slots[slot].changes += 1
            let run = slots[slot].run
            if runs[run].isLarge {
                runs[run].segment = nil
            } else {
                encode(slot)
                runs[run].replace(slot, by: scratch)
            }
        }
        sources[source].given = families
        return true
    }

    /// Encodes a family into ``scratch``.
    private mutating func encode(_ slot: Int) {
        scratch.removeAll(keepingCapacity: true)
        if let template = slots[slot].template {
            if template.write(slots[slot].family, into: &scratch) { return }
            slots[slot].template = nil
        }
        syntax.encode(slots[slot].family, into: &scratch)
        // Made at the second change, since most families do not change before the next layout.
        guard slots[slot].changes > 1 else { return }
        slots[slot].template = FamilyTemplate(slots[slot].family, syntax, encoded: scratch)
    }

    /// The exposition as it is now.
    mutating func segments() -> [ExpositionSegment] {
        var segments: [ExpositionSegment] = []
        segments.reserveCapacity(runs.count + 1)
        for index in runs.indices { segments.append(segment(of: index)) }
        if let end { segments.append(end) }
        return segments
    }

    /// About how many bytes ``segments()`` has to encode.
    var pendingBytes: Int {
        runs.reduce(0) { bytes, run in
            guard run.isLarge, run.segment == nil else { return bytes }
            return slots[run.slots].reduce(bytes) { $0 + $1.family.estimatedSize }
        }
    }

    private mutating func segment(of run: Int) -> ExpositionSegment {
        if let segment = runs[run].segment { return segment }
        if runs[run].isLarge {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(slots[runs[run].slots].reduce(0) { $0 + $1.family.estimatedSize })
            for slot in runs[run].slots { syntax.encode(slots[slot].family, into: &bytes) }
            runs[run].bytes = bytes
        }
        let segment = ExpositionSegment(runs[run].bytes)
        runs[run].segment = segment
        return segment
    }

    /// Divides the exposition into runs: the neighbours of one collector, if they are large, and small families together;
    /// apart from each other those that change all the time and those that do not.
    private mutating func layOut() {
        runs = []
        var start = 0
        while start < slots.count {
            var end = start
            var piece = ExpositionRun(start: start, isBusy: isBusy(start))
            repeat {
                scratch.removeAll(keepingCapacity: true)
                syntax.encode(slots[end].family, into: &scratch)
                piece.append(scratch)
                end += 1
            } while end < slots.count && slots[end].source == slots[start].source && isBusy(end) == piece.isBusy
            start = end
            piece.seal()
            if let last = runs.indices.last, runs[last].takes(piece) {
                runs[last].append(piece)
            } else {
                runs.append(piece)
            }
        }
        for run in runs.indices {
            for slot in runs[run].slots { slots[slot].run = run }
        }
    }

    private func isBusy(_ slot: Int) -> Bool {
        updates >= Self.updatesToLearn && slots[slot].changes * 4 >= updates * 3
    }
}

/// Neighbouring families of an exposition, encoded.
struct ExpositionRun {
    /// From this many bytes on, the families of one collector are a run of their own, which is encoded as a whole.
    private static let largeSize = 4096
    /// The maximum size of a run of small families, in bytes.
    private static let fullSize = 16 << 10

    private(set) var slots: Range<Int>
    /// Whether the families change at nearly each update.
    let isBusy: Bool
    var bytes: [UInt8] = []
    /// Where each family ends.
    private var ends: [Int] = []
    /// The same bytes as they are given away; nil when they have changed.
    var segment: ExpositionSegment?

    init(start: Int, isBusy: Bool) {
        slots = start..<start
        self.isBusy = isBusy
    }

    /// Whether it is encoded whole.
    private(set) var isLarge = false

    /// Whether it has grown so much that changing a part of it is no longer cheap.
    var isOvergrown: Bool { !isLarge && bytes.count > 4 * Self.fullSize }

    /// Adds a family at the end.
    mutating func append(_ family: [UInt8]) {
        bytes.append(contentsOf: family)
        ends.append(bytes.count)
        slots = slots.lowerBound..<slots.upperBound + 1
    }

    /// Decides whether the families of one collector are a run of their own.
    mutating func seal() {
        isLarge = bytes.count >= Self.largeSize
    }

    /// Whether a run that follows may become a part of this one.
    func takes(_ next: ExpositionRun) -> Bool {
        !isLarge && !next.isLarge && isBusy == next.isBusy && bytes.count + next.bytes.count <= Self.fullSize
    }

    /// Adds the run that follows.
    mutating func append(_ next: ExpositionRun) {
        ends += next.ends.map { $0 + bytes.count }
        bytes += next.bytes
        slots = slots.lowerBound..<next.slots.upperBound
    }

    /// Replaces the encoding of a family.
    mutating func replace(_ slot: Int, by family: [UInt8]) {
        // Released first: while it exists, the bytes are shared and would have to be copied.
        segment = nil
        let index = slot - slots.lowerBound
        let start = index == 0 ? 0 : ends[index - 1]
        let change = family.count - (ends[index] - start)
        bytes.replaceSubrange(start..<ends[index], with: family)
        guard change != 0 else { return }
        for later in index..<ends.count { ends[later] += change }
    }
}

extension ExpositionFormat.Syntax {
    fileprivate func encode(_ family: MetricFamily, into buffer: inout [UInt8]) {
        switch self {
        case .text: TextFormat.encode(family, into: &buffer)
        case .openMetrics: OpenMetricsFormat.encode(family, into: &buffer)
        }
    }

    fileprivate func encodeEnd(into buffer: inout [UInt8]) {
        if self == .openMetrics { OpenMetricsFormat.encodeEnd(into: &buffer) }
    }
}
