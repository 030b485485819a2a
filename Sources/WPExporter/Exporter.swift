// SPDX-License-Identifier: MIT

package import WPCollector
package import WPLogging
package import WPModel
package import WPScheduler
package import WPServer
package import WPStorage

/// The parts of the running exporter, and how they start and end together.
package struct Exporter: Sendable {
    package let collector: Collector
    let meter: any EnergyMeter
    let store: FileEnergyStore
    let scheduler: any Scheduling
    package let server: HTTPServer
    let history: CycleHistory
    package let reloader: SettingsReloader
    let logger: Logger

    /// Collects and serves until `stop` returns, the task is cancelled, or a part fails.
    ///
    /// Then the scheduler and the server are cancelled: a reading in flight is abandoned, a save in flight is finished,
    /// open requests are answered. Totals that are not on the disk yet are saved.
    /// - Parameters:
    ///   - stop: waits for whatever is to end the exporter.
    ///   - afterCycle: is told of each cycle that ended.
    /// - Throws: what the server failed with; or the store, if the last totals could not be saved.
    package func run(
        until stop: @escaping @Sendable () async -> Void,
        afterCycle: @escaping @Sendable (CollectionSnapshot) async -> Void = { _ in }
    ) async throws {
        defer { logger.flush() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask {
                    await scheduler.run {
                        await history.record(collector.snapshot.generation + 1) { await collector.collect() }
                        await afterCycle(collector.snapshot)
                    }
                }
                group.addTask { await stop() }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        } catch {
            try? await finish()
            throw error
        }
        try await finish()
    }

    /// Saves what is not on the disk yet and gives the data directory back.
    /// - Throws: `EnergyStoreError` when there are totals that can't be saved.
    package func finish() async throws {
        do {
            try await meter.flush()
        } catch {
            logger.error("Energy totals could not be saved", ["error": .describing("\(error)")])
            await store.close()
            throw error
        }
        await store.close()
    }
}
