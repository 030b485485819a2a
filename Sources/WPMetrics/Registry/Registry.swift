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
        fileprivate let id: UInt64
        let collector: any MetricCollector
        /// The same when it never waits, found out once and not at each gather.
        let immediate: (any ImmediateCollector)?
        /// The same when it knows whether its families have changed.
        let caching: (any CachingCollector)?
        let descriptors: Set<MetricDescriptor>
    }

    /// The collectors at one moment, in the order of their registration.
    struct Roster: Sendable {
        let entries: [Entry]
        /// Another number for other collectors.
        let revision: UInt64
        /// Whether there are any that may wait.
        let mayWait: Bool
    }

    private struct State {
        var nextID: UInt64 = 0
        var revision: UInt64 = 0
        var waitingEntries = 0
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
            state.revision &+= 1
            let entry = Entry(
                id: state.nextID,
                collector: collector,
                immediate: collector as? any ImmediateCollector,
                caching: collector as? any CachingCollector,
                descriptors: Set(descriptors)
            )
            if entry.immediate == nil { state.waitingEntries += 1 }
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
            let entry = state.entries.remove(at: index)
            state.revision &+= 1
            if entry.immediate == nil { state.waitingEntries -= 1 }
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
    public func gather() async -> Gathering {
        let roster = roster
        return assemble(roster, await Self.waitedFor(roster)).outcome.gathering
    }

    /// The names that the declared families use in any format.
    package var declaredNames: Set<String> { state.withLock { $0.claims.names } }

    /// The collectors now.
    var roster: Roster {
        state.withLock { state in
            Roster(entries: state.entries, revision: state.revision, mayWait: state.waitingEntries > 0)
        }
    }

    /// What a collector gave.
    typealias Answer = Result<[MetricFamily], any Error>

    /// Asks the collectors that may wait, all at once.
    /// - Returns: what they gave, by their places.
    static func waitedFor(_ roster: Roster) async -> [Int: Answer] {
        guard roster.mayWait else { return [:] }
        return await withTaskGroup(of: (Int, Answer).self) { group in
            for (index, entry) in roster.entries.enumerated() where entry.immediate == nil {
                group.addTask { (index, await outcome { try await entry.collector.collect() }) }
            }
            var answers: [Int: Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
    }

    /// Asks the collectors that never wait, and puts all together.
    /// - Parameter waitedFor: what the others gave.
    func assemble(
        _ roster: Roster,
        _ waitedFor: [Int: Answer]
    ) -> (outcome: GatheringBuilder.Outcome, answers: [Answer]) {
        let answers = roster.entries.enumerated().map { index, entry in
            entry.immediate.map { collector in Result { try collector.collectNow() } } ?? waitedFor[index]
                ?? .success([])
        }
        var builder = GatheringBuilder()
        for (index, (entry, answer)) in zip(roster.entries, answers).enumerated() {
            let collector = String(describing: type(of: entry.collector))
            switch answer {
            case .success(let families):
                for (place, family) in families.enumerated() {
                    let origin = GatheringBuilder.Origin(collector: index, family: place)
                    builder.add(family, from: collector, declared: entry.descriptors, origin: origin)
                }
            case .failure(let error): builder.fail(collector, error)
            }
        }
        return (builder.build(), answers)
    }

    private static func outcome(of collect: () async throws -> [MetricFamily]) async -> Answer {
        do {
            return .success(try await collect())
        } catch {
            return .failure(error)
        }
    }
}
