// SPDX-License-Identifier: MIT

import Synchronization

/// What an ``InstrumentFamily`` gave last, and whether it would give the same now.
///
/// A type of its own because nothing of it depends on the kind of instrument: a gather asks all families of a program,
/// nearly all of which are as they were, and asking has to be cheap.
final class FamilyCache: Sendable {
    /// Appends numbers that differ whenever a child's state does; false when the state can't be described so.
    typealias AppendState = @Sendable (inout [UInt64]) -> Bool

    private struct Kept {
        var given = Given(families: [], version: 0)
        /// How many changes of the children it has seen.
        var changes: UInt64?
        var appendState: AppendState = { _ in false }
        var state: [UInt64] = []
        /// Memory for the next one.
        var next: [UInt64] = []
    }

    private let kept = Mutex(Kept())
    private let changeCount = Atomic<UInt64>(0)

    /// How often children came or went.
    var changes: UInt64 { changeCount.load(ordering: .acquiring) }

    /// Notes that a child came or went.
    func noteChange() {
        changeCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Families, and a number that is another one for other families of the same collector.
    struct Given {
        var families: [MetricFamily]
        var version: UInt64
    }

    /// How families that were given earlier compare with the current ones.
    enum Standing {
        /// They are the same.
        case same
        /// These, which another caller got since, are current.
        case other(Given)
        /// They have changed, or may have.
        case changed
    }

    /// What was given last; nil when it has changed since, or may have.
    var families: [MetricFamily]? {
        if case .other(let given) = standing(of: 0) { given.families } else { nil }
    }

    /// Compares.
    /// - Parameter version: the number of what was given; 0 for nothing.
    func standing(of version: UInt64) -> Standing {
        kept.withLock { kept in
            guard kept.changes == changes else { return .changed }
            kept.next.removeAll(keepingCapacity: true)
            guard kept.appendState(&kept.next), kept.next == kept.state else { return .changed }
            return kept.given.version == version ? .same : .other(kept.given)
        }
    }

    /// Keeps what is given.
    /// - Parameters:
    ///   - changes: the count of changes that the family shows.
    ///   - appendState: appends the state of the children now.
    ///   - appendShownState: appends the state that the given metrics show; false when they don't show it.
    ///   - make: makes the family.
    func keep(
        changes: UInt64,
        appendState: @escaping AppendState,
        appendShownState: ([Metric], inout [UInt64]) -> Bool,
        make: () -> MetricFamily
    ) -> Given {
        kept.withLock { kept in
            // Read before the family is made, so that what changes meanwhile is noticed the next time.
            kept.state.removeAll(keepingCapacity: true)
            kept.changes = appendState(&kept.state) ? changes : nil
            kept.appendState = appendState
            let family = make()
            // A value that changed and changed back meanwhile would go unnoticed: what is shown decides, where it is known.
            kept.next.removeAll(keepingCapacity: true)
            if appendShownState(family.metrics, &kept.next) { swap(&kept.state, &kept.next) }
            kept.given = Given(families: [family], version: kept.given.version &+ 1)
            return kept.given
        }
    }
}

/// A collector that has such a cache.
protocol CachingCollector: ImmediateCollector {
    var cache: FamilyCache { get }

    /// What ``MetricCollector/collect()`` gives when the cache is not current.
    func collectAnew() -> FamilyCache.Given
}
