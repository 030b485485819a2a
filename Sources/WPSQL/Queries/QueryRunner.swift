// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPLogging
import WPMetrics
package import WPPostgres
import WPScheduler

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs the queries of a file on their schedules; runs of one query never overlap.
package final class QueryRunner: Sendable {
    private struct State {
        var tasks: [QueryTask] = []
        var loops: [Int: Task<Void, Never>] = [:]
        var isRunning = false
        var nextID = 0
    }

    private let sink: ResultSink
    private let timeSource: any TimeSource
    private let random: @Sendable () -> Double
    private let logger: Logger
    private let housekeeping: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - databases: by name in the file.
    ///   - families: stores the results.
    ///   - instruments: the metrics of queries.
    ///   - zone: the time zone of cron and of timestamps without one.
    ///   - timeSource: the clock of the schedules.
    ///   - random: returns numbers in 0..<1, for jitter.
    ///   - housekeeping: called every few seconds, to close idle sessions.
    package init(
        _ file: QueryFile,
        databases: [String: any PostgresDatabase],
        families: QueryFamilies,
        instruments: QueryInstruments,
        zone: TimeZoneRules,
        timeSource: any TimeSource = .system,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        logger: Logger,
        housekeeping: @escaping @Sendable () -> Void = {}
    ) {
        sink = ResultSink(families, instruments)
        (self.timeSource, self.random) = (timeSource, random)
        (self.logger, self.housekeeping) = (logger, housekeeping)
        let tasks = plan(QueryDefinition.all(file, zone: zone), databases).map(\.task)
        state.withLock { $0.tasks = tasks }
    }

    private var tasks: [QueryTask] { state.withLock(\.tasks) }

    /// Runs until the task is cancelled, and returns when the running queries have ended.
    package func run() async {
        state.withLock { state in
            state.isRunning = true
            for task in state.tasks { start(task, &state) }
        }
        await Ticker(interval: .seconds(10), timeSource: timeSource).run(housekeeping)
        let loops = state.withLock { state in
            defer { (state.loops, state.isRunning) = ([:], false) }
            return state.loops.values
        }
        for loop in loops { loop.cancel() }
        for loop in loops { await loop.value }
    }

    /// Runs each query once.
    /// - Returns: one sentence per failed query.
    package func runOnce() async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for task in tasks { group.addTask { await task.run().failure } }
            var failures: [String] = []
            for await failure in group { if let failure { failures.append(failure) } }
            return failures.sorted()
        }
    }

    /// Compares each query's columns with its metrics, without running it.
    /// - Returns: the result for each query and database.
    package func describe() async -> [QueryDescription] {
        var found: [QueryDescription] = []
        for task in tasks { found.append(await task.describe()) }
        return found
    }

    // MARK: Reloads

    /// Switches to another version of the file. Unchanged queries continue with their schedules and results; new or
    /// changed ones start as at startup, and the last results are kept until then.
    /// - Parameters:
    ///   - databases: by name in the file. A query continues only if the object is the same.
    ///   - whenEnded: called when removed and changed queries have ended, before the others start.
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

    /// The tasks of a file, including the unchanged existing ones.
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
                timeSource: timeSource,
                logger: logger
            )
            return (task, false)
        }
    }

    private func start(_ task: QueryTask, _ state: inout State) {
        let schedule = QuerySchedule(task: task, timeSource: timeSource, random: random)
        let isScraped = task.definition.query.schedule == .onScrape
        let scrapes = isScraped ? sink.families.scrapeSignals() : AsyncStream { $0.finish() }
        state.loops[task.id] = Task { await schedule.run(scrapes) }
    }
}
