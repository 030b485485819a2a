// SPDX-License-Identifier: MIT

package import WPLogging
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

    private let tasks: [QueryTask]
    private let surroundings: Surroundings
    private let families: QueryFamilies
    private let housekeeping: @Sendable () -> Void

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
        var tasks: [QueryTask] = []
        for query in file.queries {
            for parameters in query.parameterSets {
                for name in query.databases {
                    guard let database = file.databases.first(where: { $0.name == name }), let session = databases[name]
                    else { continue }
                    tasks.append(
                        QueryTask(
                            id: tasks.count,
                            query: query,
                            metrics: query.metrics.compactMap { name in file.metrics.first { $0.name == name } },
                            parameters: parameters,
                            database: database,
                            session: session,
                            keep: file.keep,
                            families: families,
                            instruments: instruments,
                            surroundings: surroundings,
                            logger: logger
                        )
                    )
                }
            }
        }
        self.tasks = tasks
        self.surroundings = surroundings
        self.families = families
        self.housekeeping = housekeeping
    }

    /// Runs until the task is cancelled, and returns when the queries in flight have ended.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for task in tasks {
                let signals = task.query.schedule == .onScrape ? families.scrapeSignals() : nil
                group.addTask { [self] in await run(task, signals) }
            }
            group.addTask { [self] in
                while (try? await surroundings.sleep(.seconds(10))) != nil { housekeeping() }
            }
            await group.waitForAll()
        }
    }

    /// Runs each query once.
    /// - Returns: one sentence per query that failed.
    package func runOnce() async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for task in tasks { group.addTask { await task.runOnce() } }
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

    private func run(_ task: QueryTask, _ signals: AsyncStream<Void>?) async {
        if let signals {
            _ = await task.runOnce()
            for await _ in signals where !task.isPaused { _ = await task.runOnce() }
            return
        }
        let start = surroundings.timeSource.now
        while !Task.isCancelled {
            switch task.query.schedule {
            case .every(let interval, let isAligned):
                await runInterval(task, interval, isAligned: isAligned, start)
                return
            case .cron(let expression):
                let now = surroundings.timeSource.now.wall.timeIntervalSince1970
                guard let next = expression.next(after: now, in: surroundings.zone) else { return }
                guard await wait(untilWall: Double(next)), await delay(task) else { return }
                _ = await task.runOnce()
            case .onScrape: return
            }
        }
    }

    private func runInterval(_ task: QueryTask, _ interval: Duration, isAligned: Bool, _ start: TimePoint) async {
        let seconds = Double(interval.components.seconds)
        if isAligned {
            let now = start.wall.timeIntervalSince1970
            guard await wait(untilWall: (now / seconds).rounded(.up) * seconds) else { return }
        }
        let origin = isAligned ? surroundings.timeSource.now.monotonic : start.monotonic
        var tick = 0
        while !Task.isCancelled {
            if !task.isPaused {
                guard await delay(task) else { return }
                _ = await task.runOnce()
            }
            let elapsed = surroundings.timeSource.now.monotonic - origin
            let next = max(tick + 1, Int((elapsed / interval).rounded(.up)))
            task.skipped(next - tick - 1, of: interval)
            tick = next
            let pause = origin + interval * tick - surroundings.timeSource.now.monotonic
            guard (try? await surroundings.sleep(max(.zero, pause))) != nil else { return }
        }
    }

    /// Waits for a moment of the clock on the wall, which may be set meanwhile.
    private func wait(untilWall moment: Double) async -> Bool {
        while true {
            let rest = moment - surroundings.timeSource.now.wall.timeIntervalSince1970
            guard rest > 0 else { return !Task.isCancelled }
            // Milliseconds, rounded up, so as not to wake just before it.
            let pause = Duration.milliseconds(Int((min(rest, 30) * 1000).rounded(.up)))
            guard (try? await surroundings.sleep(pause)) != nil else { return false }
        }
    }

    private func delay(_ task: QueryTask) async -> Bool {
        guard task.query.jitter > .zero else { return true }
        return (try? await surroundings.sleep(task.query.jitter * surroundings.random())) != nil
    }
}
