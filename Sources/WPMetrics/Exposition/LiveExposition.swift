// SPDX-License-Identifier: MIT

import Synchronization

/// Repeated expositions of a registry: each scrape encodes only what has changed since the last one.
///
/// A collector that returns the same array of families as before is recognised by the array's address, at no cost. Of
/// other families, each one whose metrics are another array is encoded again. ``InstrumentFamily`` and the collectors of
/// this module return the same array while their numbers are the same. The result is byte for byte what
/// ``ExpositionFormat/encode(_:)`` makes of ``Registry/gather()``.
///
/// It holds the last exposition in each format that was asked for.
package final class LiveExposition: Sendable {
    /// One exposition.
    package struct Scrape: Sendable {
        /// Its parts in order. A segment whose families have not changed is the same object as before.
        package let segments: [ExpositionSegment]
        /// What was left out, and why.
        package let failures: [CollectionFailure]

        /// The whole exposition.
        package var body: [UInt8] { segments.joined() }
    }

    private let registry: Registry
    private let text = Mutex<ExpositionPlan?>(nil)
    private let openMetrics = Mutex<ExpositionPlan?>(nil)

    /// Creates one that has encoded nothing yet.
    package init(of registry: Registry) {
        self.registry = registry
    }

    /// Asks the collectors and encodes what they give.
    package nonisolated(nonsending) func scrape(as format: ExpositionFormat) async -> Scrape {
        let roster = registry.roster
        let waitedFor = roster.mayWait ? await Registry.waitedFor(roster) : [:]
        switch format.syntax {
        case .text: return scrape(.text, text, roster, waitedFor)
        case .openMetrics: return scrape(.openMetrics, openMetrics, roster, waitedFor)
        }
    }

    /// Asks the collectors and encodes what they give, if that is little work: for a caller on a thread that others
    /// wait for.
    /// - Returns: nil when more than `limit` bytes would have to be encoded, when another thread is encoding, and when
    ///   a collector may have to wait: ``scrape(as:)`` is to be called then.
    package func scrape(as format: ExpositionFormat, encodingAtMost limit: Int) -> Scrape? {
        let roster = registry.roster
        guard !roster.mayWait else { return nil }
        switch format.syntax {
        case .text: return Self.scrape(text, roster, limit)
        case .openMetrics: return Self.scrape(openMetrics, roster, limit)
        }
    }

    private static func scrape(
        _ plan: borrowing Mutex<ExpositionPlan?>,
        _ roster: Registry.Roster,
        _ limit: Int
    ) -> Scrape? {
        let scrape = plan.withLockIfAvailable { plan -> Scrape? in
            guard plan != nil else { return nil }
            guard plan?.update(roster, [:]) == true else {
                plan = nil
                return nil
            }
            guard (plan?.pendingBytes ?? .max) <= limit else { return nil }
            return Scrape(segments: plan?.segments() ?? [], failures: plan?.failures ?? [])
        }
        return scrape ?? nil
    }

    private func scrape(
        _ syntax: ExpositionFormat.Syntax,
        _ plan: borrowing Mutex<ExpositionPlan?>,
        _ roster: Registry.Roster,
        _ waitedFor: [Int: Registry.Answer]
    ) -> Scrape {
        plan.withLock { plan in
            if plan?.update(roster, waitedFor) != true {
                let (outcome, answers) = registry.assemble(roster, waitedFor)
                plan = ExpositionPlan(syntax, outcome, answers, roster)
            }
            return Scrape(segments: plan?.segments() ?? [], failures: plan?.failures ?? [])
        }
    }
}
