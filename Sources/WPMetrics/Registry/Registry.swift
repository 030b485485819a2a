// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore

/// The collectors of a program, combined into one consistent exposition.
///
/// Programming errors, such as a name that is invalid or in use, are thrown at registration. Errors in data, such as a
/// failing collector or a duplicate series, are reported by ``gather()``, which omits only the affected part.
public final class Registry: MetricGatherer {
    /// Identifies a registered collector.
    public struct Registration: Sendable, Hashable {
        fileprivate let id: UInt64
    }

    /// A registered collector. A class, because each scrape copies all entries.
    final class Entry: Sendable {
        let id: UInt64
        let collector: any MetricCollector
        /// The collector if it never waits, cast once.
        let immediate: (any ImmediateCollector)?
        let descriptors: Set<MetricDescriptor>

        init(id: UInt64, collector: any MetricCollector, descriptors: [MetricDescriptor]) {
            self.id = id
            self.collector = collector
            self.immediate = collector as? any ImmediateCollector
            self.descriptors = Set(descriptors)
        }
    }

    private struct State {
        var nextID: UInt64 = 0
        var entries: [Entry] = []
        var claims = NameClaims()
    }

    private let state = Mutex(State())
    /// The clock for creation times; nil not to expose them.
    let creationClock: (any TimeSource)?

    /// Creates a registry without collectors.
    /// - Parameter exposesCreationTimes: whether OpenMetrics includes the creation times of counters, histograms and
    ///   summaries, as `_created`. Default false: it costs one series per counter, and few scrapers use it.
    public convenience init(exposesCreationTimes: Bool = false) {
        self.init(creationClock: exposesCreationTimes ? .system : nil)
    }

    /// - Parameter creationClock: the clock for creation times; nil not to expose them.
    package init(creationClock: (any TimeSource)?) {
        self.creationClock = creationClock
    }

    /// Adds a collector.
    /// - Returns: the registration for ``unregister(_:)``.
    /// - Throws: ``MetricError/Code/nameClash`` if a declared family uses a name that is in use; in that case, nothing
    ///   is added.
    @discardableResult
    public func register(_ collector: any MetricCollector) throws(MetricError) -> Registration {
        let descriptors = collector.descriptors
        return try state.withLock { (state) throws(MetricError) in
            var claims = state.claims
            for descriptor in descriptors { try claims.claim(descriptor) }
            state.claims = claims
            state.nextID += 1
            let entry = Entry(id: state.nextID, collector: collector, descriptors: descriptors)
            state.entries.append(entry)
            return Registration(id: state.nextID)
        }
    }

    /// Removes a collector, and frees its names.
    /// - Returns: whether it was present.
    @discardableResult
    public func unregister(_ registration: Registration) -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == registration.id }) else { return false }
            state.entries.remove(at: index)
            var claims = NameClaims()
            for descriptor in state.entries.flatMap(\.descriptors) {
                // lint: claimed together before, so none can clash
                try? claims.claim(descriptor)
            }
            state.claims = claims
            return true
        }
    }

    /// Polls all collectors concurrently, and merges their families. Takes as long as the slowest collector.
    public nonisolated(nonsending) func gather() async -> Gathering {
        Self.assemble(await answers())
    }

    /// The names that the declared families use in any format.
    package var declaredNames: Set<String> { state.withLock { $0.claims.names } }

    /// The collectors, in the order of their registration.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// The result of a collector.
    struct Answer: Sendable {
        let entry: Entry
        let families: Result<[MetricFamily], any Error>
    }

    /// Polls the collectors, those that may wait concurrently. The results are in the order of registration.
    nonisolated(nonsending) func answers() async -> [Answer] {
        let entries = entries
        var results: [Int: Result<[MetricFamily], any Error>] = [:]
        if entries.contains(where: { $0.immediate == nil }) {
            await withTaskGroup(of: (Int, Result<[MetricFamily], any Error>).self) { group in
                for (index, entry) in entries.enumerated() where entry.immediate == nil {
                    group.addTask {
                        do { return (index, .success(try await entry.collector.collect())) } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                for await (index, families) in group { results[index] = families }
            }
        }
        return entries.enumerated().map { index, entry in
            if let immediate = entry.immediate {
                return Answer(entry: entry, families: Result { try immediate.collectNow() })
            }
            guard let families = results[index] else { preconditionFailure("a collector was not polled") }
            return Answer(entry: entry, families: families)
        }
    }

    /// Merges the results of the collectors.
    /// - Parameter check: returns a family checked and sorted, or unchanged if something is invalid.
    static func assemble(_ answers: [Answer], check: (MetricFamily) -> MetricFamily = { $0 }) -> Gathering {
        var builder = GatheringBuilder()
        for answer in answers {
            let collector = type(of: answer.entry.collector)
            switch answer.families {
            case .success(let families):
                for family in families {
                    builder.add(check(family), from: collector, declared: answer.entry.descriptors)
                }
            case .failure(let error): builder.fail(collector, error)
            }
        }
        return builder.build()
    }
}
