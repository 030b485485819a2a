// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging
import WPMetrics
package import WPModel
package import WPPostgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs the queries of a file on their schedules, none of them beside itself.
package final class QueryRunner: Sendable {
    /// What the queries run with.
    package struct Surroundings: Sendable {
        package var timeSource: any TimeSource
        package var sleep: @Sendable (Duration) async throws -> Void
        /// A random number of 0..<1, for jitter.
        package var random: @Sendable () -> Double
        /// The zone of cron and of timestamps that have none.
        package var zone: TimeZoneRules

        /// The system's.
        package init(zone: TimeZoneRules = .utc) {
            self.init(
                timeSource: SystemTimeSource(),
                sleep: { try await Task.sleep(for: $0) },
                random: { Double.random(in: 0..<1) },
                zone: zone
            )
        }

        package init(
            timeSource: any TimeSource,
            sleep: @escaping @Sendable (Duration) async throws -> Void,
            random: @escaping @Sendable () -> Double,
            zone: TimeZoneRules
        ) {
            (self.timeSource, self.sleep, self.random, self.zone) = (timeSource, sleep, random, zone)
        }
    }

    private struct State {
        var tasks: [QueryTask] = []
        var loops: [Int: Task<Void, Never>] = [:]
        var isRunning = false
        var nextID = 0
    }

    private let sink: ResultSink
    private let surroundings: Surroundings
    private let logger: Logger
    private let housekeeping: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - databases: by their names in the file.
    ///   - families: what takes the results.
    ///   - instruments: what counts.
    ///   - housekeeping: called every few seconds, to end sessions that are not used.
    package init(
        _ file: QueryFile,
        databases: [String: any PostgresDatabase],
        families: QueryFamilies,
        instruments: QueryInstruments,
        surroundings: Surroundings,
        logger: Logger,
        housekeeping: @escaping @Sendable () -> Void = {}
    ) {
        sink = ResultSink(families, instruments)
        (self.surroundings, self.logger, self.housekeeping) = (surroundings, logger, housekeeping)
        let tasks = plan(QueryDefinition.all(file, zone: surroundings.zone), databases).map(\.task)
        state.withLock { $0.tasks = tasks }
    }

    private var tasks: [QueryTask] { state.withLock(\.tasks) }

    /// Runs until the task is cancelled, and returns when the queries in flight have ended.
    package func run() async {
        state.withLock { state in
            state.isRunning = true
            for task in state.tasks { start(task, &state) }
        }
        while (try? await surroundings.sleep(.seconds(10))) != nil { housekeeping() }
        let loops = state.withLock { state in
            defer { (state.loops, state.isRunning) = ([:], false) }
            return state.loops.values
        }
        for loop in loops { loop.cancel() }
        for loop in loops { await loop.value }
    }

    /// Runs each query once.
    /// - Returns: one sentence per query that failed.
    package func runOnce() async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for task in tasks { group.addTask { await task.run().failure } }
            var failures: [String] = []
            for await failure in group { if let failure { failures.append(failure) } }
            return failures.sorted()
        }
    }

    /// Compares each query with its metrics, without running it.
    /// - Returns: what is found of each query and database.
    package func describe() async -> [QueryDescription] {
        var found: [QueryDescription] = []
        for task in tasks { found.append(await task.describe()) }
        return found
    }

    // MARK: Reloads

    /// Takes another version of the file. Queries that did not change go on, with their schedules and results; those that
    /// are new or changed begin as at the start, and show the last result until then.
    /// - Parameters:
    ///   - databases: by their names in the file. A query goes on only in the same object.
    ///   - whenEnded: called when the queries that are gone or changed have ended, before the others begin.
    package func replace(
        _ file: QueryFile,
        databases: [String: any PostgresDatabase],
        families: QueryFamilies,
        instruments: QueryInstruments,
        zone: TimeZoneRules,
        whenEnded: () async -> Void = {}
    ) async {
        let definitions = QueryDefinition.all(file, zone: zone)
        let next = plan(definitions, databases)
        let kept = Set(next.filter(\.isKept).map(\.task.id))
        let earlier = tasks
        let ended = state.withLock { state in
            earlier.filter { !kept.contains($0.id) }.compactMap { state.loops.removeValue(forKey: $0.id) }
        }
        for loop in ended { loop.cancel() }
        for loop in ended { await loop.value }
        await whenEnded()

        let results = Dictionary(
            earlier.map { ($0.definition.resultKey, $0.id) },
            uniquingKeysWith: { first, _ in first }
        )
        let adoptions = next.enumerated().compactMap { rank, planned in
            results[planned.task.definition.resultKey].map { old in
                QueryFamilies.Adoption(old: planned.isKept ? planned.task.id : old, new: planned.task.id, rank: rank)
            }
        }
        let labels = file.databases.map(\.fixedLabels)
        sink.replace(with: ResultSink.Target(families: families, instruments: instruments)) { target in
            families.adopt(target.families, adoptions) { found in
                labels.contains { $0.allSatisfy { found[$0.name] == $0.value } }
            }
            for (rank, planned) in next.enumerated() { planned.task.move(to: rank) }
            instruments.keep(Set(definitions.map(\.labels)), tasks: Set(next.map(\.task.id)))
        }
        state.withLock { state in
            state.tasks = next.map(\.task)
            guard state.isRunning else { return }
            for planned in next where !planned.isKept { start(planned.task, &state) }
        }
    }

    /// The tasks of a file: those that there are already, where nothing about them changed.
    private func plan(
        _ definitions: [QueryDefinition],
        _ databases: [String: any PostgresDatabase]
    ) -> [(task: QueryTask, isKept: Bool)] {
        var known = Dictionary(tasks.map { ($0.definition.key, $0) }, uniquingKeysWith: { first, _ in first })
        return definitions.enumerated().compactMap { rank, definition in
            guard let session = databases[definition.database.name] else { return nil }
            if let task = known.removeValue(forKey: definition.key), task.session === session { return (task, true) }
            let id = state.withLock { state in
                state.nextID += 1
                return state.nextID
            }
            let task = QueryTask(
                id: id,
                rank: rank,
                definition,
                session: session,
                sink: sink,
                surroundings: surroundings,
                logger: logger
            )
            return (task, false)
        }
    }

    private func start(_ task: QueryTask, _ state: inout State) {
        let schedule = QuerySchedule(task: task, surroundings: surroundings)
        let isScraped = task.definition.query.schedule == .onScrape
        let scrapes = isScraped ? sink.families.scrapeSignals() : AsyncStream { $0.finish() }
        state.loops[task.id] = Task { await schedule.run(scrapes) }
    }
}
