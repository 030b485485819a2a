// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The collectors of a program, and the checks that make one sound exposition of them.
///
/// Faults that a programmer makes (an invalid or taken name) are thrown at registration. Faults that only data can
/// show (a collector fails, a series comes twice) are reported by ``gather()`` and cost the part they concern.
public final class Registry: MetricGatherer {
    /// Stands for one registered collector.
    public struct Registration: Sendable, Hashable {
        fileprivate let id: UInt64
    }

    private struct Entry {
        let id: UInt64
        let collector: any MetricCollector
        /// The same when it never waits, found out once and not at each gather.
        let immediate: (any ImmediateCollector)?
        let descriptors: Set<MetricDescriptor>
    }

    private struct State {
        var nextID: UInt64 = 0
        var entries: [Entry] = []
        var claims = NameClaims()
        /// What earlier gathers have found in order: families that come again as they were are not looked at again.
        var memory = GatheringBuilder.Memory()
    }

    private let state = Mutex(State())
    /// When instruments are made; nil not to tell it.
    let creationClock: (@Sendable () -> Double)?

    /// Creates a registry without collectors.
    /// - Parameter creationClock: tells the time, in seconds since 1970, at which the registry's counters, histograms and
    ///   summaries are made; OpenMetrics then shows it as `_created`. nil, which is the default, not to tell it: it costs
    ///   a series a counter, and few scrapers use it. ``systemClock`` is one.
    public init(creationClock: (@Sendable () -> Double)? = nil) {
        self.creationClock = creationClock
    }

    /// The system's time, in seconds since 1970.
    public static let systemClock: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Adds a collector.
    /// - Returns: what ``unregister(_:)`` needs.
    /// - Throws: ``MetricError/Code/nameClash`` when a family that it declares uses a taken name; nothing is added then.
    @discardableResult
    public func register(_ collector: any MetricCollector) throws(MetricError) -> Registration {
        let descriptors = collector.descriptors
        return try state.withLock { (state) throws(MetricError) in
            var claims = state.claims
            for descriptor in descriptors { try claims.claim(descriptor) }
            state.claims = claims
            state.nextID += 1
            state.entries.append(
                Entry(
                    id: state.nextID,
                    collector: collector,
                    immediate: collector as? any ImmediateCollector,
                    descriptors: Set(descriptors)
                )
            )
            return Registration(id: state.nextID)
        }
    }

    /// Takes a collector away, and frees its names.
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

    /// Asks all collectors at once, and puts together what they give. It takes as long as the slowest of them.
    public func gather() async -> Gathering {
        let (entries, memory) = state.withLock { ($0.entries, $0.memory) }
        var results = [Result<[MetricFamily], any Error>?](repeating: nil, count: entries.count)
        await withTaskGroup(of: (Int, Result<[MetricFamily], any Error>).self) { group in
            for (index, entry) in entries.enumerated() where entry.immediate == nil {
                group.addTask { (index, await Self.outcome { try await entry.collector.collect() }) }
            }
            for (index, entry) in entries.enumerated() {
                guard let collector = entry.immediate else { continue }
                results[index] = Result { try collector.collectNow() }
            }
            for await (index, result) in group { results[index] = result }
        }
        var builder = GatheringBuilder(memory: memory)
        for (entry, result) in zip(entries, results) {
            let collector = String(describing: type(of: entry.collector))
            switch result {
            case .success(let families):
                for family in families { builder.add(family, from: collector, declared: entry.descriptors) }
            case .failure(let error): builder.fail(collector, error)
            case nil: break
            }
        }
        let outcome = builder.build()
        state.withLock { $0.memory = outcome.memory }
        return outcome.gathering
    }

    private static func outcome(
        of collect: () async throws -> [MetricFamily]
    ) async -> Result<[MetricFamily], any Error> {
        do {
            return .success(try await collect())
        } catch {
            return .failure(error)
        }
    }
}
