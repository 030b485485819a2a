// SPDX-License-Identifier: MIT

import Synchronization

/// Encodes one exposition after another, and encodes again only what has changed.
///
/// A family that a collector gives again as it was (the very array of metrics that it gave before) is known by its place
/// in memory, in no time. Once a family has come so, it is *steady*; neighbouring steady families make a segment, which
/// is kept until one of them changes. All else is encoded at each scrape. What comes out is byte for byte what
/// ``ExpositionFormat/encode(_:)`` gives.
///
/// It holds the segments of the last exposition in each format. Give it the gatherings of one registry.
public final class ExpositionCache: Sendable {
    /// A run of steady families that costs less to encode than to keep apart.
    private static let smallestSegment = 4096

    private struct Known {
        /// The family of the last exposition, to compare with; nil where that is not likely to be of use.
        var family: MetricFamily?
        var isSteady: Bool
    }

    private struct State {
        var known: [String: Known] = [:]
        /// The kept segments by the name of their first family.
        var kept: [String: Kept] = [:]
        var expositions = 0

        /// Whether all families are remembered, steady or not, to find out which of them come again.
        var isProbing: Bool { expositions.isMultiple(of: 4) }
    }

    private struct Kept {
        let families: ArraySlice<MetricFamily>
        let segment: ExpositionSegment

        init(encoding families: ArraySlice<MetricFamily>, _ syntax: ExpositionFormat.Syntax) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(families.reduce(0) { $0 + $1.estimatedSize })
            for family in families { syntax.encode(family, into: &bytes) }
            self.families = families
            segment = ExpositionSegment(bytes, isKept: true)
        }

        func isOf(_ families: ArraySlice<MetricFamily>) -> Bool {
            families.count == self.families.count && zip(families, self.families).allSatisfy { $0.isIdentical(to: $1) }
        }
    }

    private let states = Mutex<[ExpositionFormat.Syntax: State]>([:])

    /// Creates a cache that knows nothing yet.
    public init() {}

    /// Encodes a whole exposition: the segments are its parts, in order.
    /// - Parameters:
    ///   - families: what a registry has gathered.
    ///   - format: the format to encode in.
    public func encode(_ families: [MetricFamily], as format: ExpositionFormat) -> [ExpositionSegment] {
        states.withLock { states in
            var state = states[format.syntax] ?? State()
            defer { states[format.syntax] = state }
            return Self.encode(families, format.syntax, &state)
        }
    }

    private static func encode(
        _ families: [MetricFamily],
        _ syntax: ExpositionFormat.Syntax,
        _ state: inout State
    ) -> [ExpositionSegment] {
        var known: [String: Known] = [:]
        known.reserveCapacity(families.count)
        for family in families {
            let before = state.known[family.name]
            let isSteady = before.map { $0.isSteady || $0.family?.isIdentical(to: family) == true } ?? false
            known[family.name] = Known(family: isSteady || !state.isProbing ? nil : family, isSteady: isSteady)
        }
        var kept: [String: Kept] = [:]
        var segments: [ExpositionSegment] = []
        var changing: [UInt8] = []
        func closeChanging() {
            guard !changing.isEmpty else { return }
            segments.append(ExpositionSegment(changing, isKept: false))
            changing = []
        }
        var start = families.startIndex
        while start < families.endIndex {
            guard known[families[start].name]?.isSteady == true else {
                syntax.encode(families[start], into: &changing)
                start += 1
                continue
            }
            let end = families[start...].firstIndex { known[$0.name]?.isSteady != true } ?? families.endIndex
            let run = families[start..<end]
            start = end
            guard run.reduce(0, { $0 + $1.metrics.count }) * 64 >= smallestSegment else {
                for family in run { syntax.encode(family, into: &changing) }
                continue
            }
            closeChanging()
            let name = run[run.startIndex].name
            let entry = state.kept[name].flatMap { $0.isOf(run) ? $0 : nil } ?? Kept(encoding: run, syntax)
            kept[name] = entry
            segments.append(entry.segment)
        }
        syntax.encodeEnd(into: &changing)
        closeChanging()
        state = State(known: known, kept: kept, expositions: state.expositions &+ 1)
        return segments
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
