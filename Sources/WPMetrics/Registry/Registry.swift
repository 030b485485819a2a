// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The collectors of a program, and the checks that make one consistent exposition of them.
///
/// Faults that a programmer makes (an invalid or taken name) are thrown at registration. Faults that only data can
/// show (a collector fails, a series is duplicated) are reported by ``gather()``, and only the affected part is left out.
public final class Registry: MetricGatherer {
    /// Stands for one registered collector.
    public struct Registration: Sendable, Hashable {
        fileprivate let id: UInt64
    }

    struct Entry: Sendable {
        let id: UInt64
        let collector: any MetricCollector
        /// The same when it never waits, found out once and not at each gather.
        let immediate: (any ImmediateCollector)?
        let descriptors: Set<MetricDescriptor>
        /// The type of the collector, for failures; written once because that takes microseconds.
        let name: String
    }

    private struct State {
        var nextID: UInt64 = 0
        var entries: [Entry] = []
        var claims = NameClaims()
    }

    private let state = Mutex(State())
    /// The clock for creation times; nil not to expose them.
    let creationClock: (@Sendable () -> Double)?

    /// Creates a registry without collectors.
    /// - Parameter exposesCreationTimes: whether OpenMetrics shows when counters, histograms and summaries were made, as
    ///   `_created`. Default false: it costs one series per counter, and few scrapers use it.
    public convenience init(exposesCreationTimes: Bool = false) {
        self.init(creationClock: exposesCreationTimes ? Self.systemClock : nil)
    }

    /// - Parameter creationClock: the clock for creation times, in seconds since 1970; nil not to expose them.
    package init(creationClock: (@Sendable () -> Double)?) {
        self.creationClock = creationClock
    }

    /// The system's time, in seconds since 1970.
    package static let systemClock: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Adds a collector.
    /// - Returns: what ``unregister(_:)`` needs.
    /// - Throws: ``MetricError/Code/nameClash`` when a family that it declares uses a name that is taken; nothing is added.
    @discardableResult
    public func register(_ collector: any MetricCollector) throws(MetricError) -> Registration {
        let descriptors = collector.descriptors
        return try state.withLock { (state) throws(MetricError) in
            var claims = state.claims
            for descriptor in descriptors { try claims.claim(descriptor) }
            state.claims = claims
            state.nextID += 1
            let entry = Entry(
                id: state.nextID,
                collector: collector,
                immediate: collector as? any ImmediateCollector,
                descriptors: Set(descriptors),
                name: String(describing: type(of: collector))
            )
            state.entries.append(entry)
            return Registration(id: state.nextID)
        }
    }

    /// Removes a collector, and frees its names.
    /// - Returns: whether it was there.
    @discardableResult
    public func unregister(_ registration: Registration) -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == registration.id }) else { return false }
            state.entries.remove(at: index)
            var claims = NameClaims()
            for descriptor in state.entries.flatMap(\.descriptors) {
                // These were claimed together before, so that none can clash.
                try? claims.claim(descriptor)
            }
            state.claims = claims
            return true
        }
    }

    /// Asks all collectors concurrently, and assembles what they return. It takes as long as the slowest of them.
    public nonisolated(nonsending) func gather() async -> Gathering {
        Self.assemble(await answers())
    }

    /// The names that the declared families use in any format.
    package var declaredNames: Set<String> { state.withLock { $0.claims.names } }

    /// The collectors, in the order of their registration.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// What a collector gave.
    struct Answer: Sendable {
        let entry: Entry
        let families: Result<[MetricFamily], any Error>
    }

    /// Asks the collectors, those that may wait all at once, in the order of their registration.
    nonisolated(nonsending) func answers() async -> [Answer] {
        let entries = entries
        var waitedFor: [Int: Result<[MetricFamily], any Error>] = [:]
        if entries.contains(where: { $0.immediate == nil }) {
            await withTaskGroup(of: (Int, Result<[MetricFamily], any Error>).self) { group in
                for (index, entry) in entries.enumerated() where entry.immediate == nil {
                    group.addTask {
                        do { return (index, .success(try await entry.collector.collect())) } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                for await (index, families) in group { waitedFor[index] = families }
            }
        }
        return entries.enumerated().map { index, entry in
            if let immediate = entry.immediate {
                return Answer(entry: entry, families: Result { try immediate.collectNow() })
            }
            guard let families = waitedFor[index] else { preconditionFailure("a collector was not asked") }
            return Answer(entry: entry, families: families)
        }
    }

    /// Puts together what the collectors gave.
    /// - Parameter check: gives a family checked and sorted, or as it is where something of it does not fit.
    static func assemble(_ answers: [Answer], check: (MetricFamily) -> MetricFamily = { $0 }) -> Gathering {
        var builder = GatheringBuilder()
        for answer in answers {
            let collector = answer.entry.name
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
