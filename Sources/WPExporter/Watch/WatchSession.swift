// SPDX-License-Identifier: MIT

package import WPCollector
package import WPConfig
package import WPCore
import WPLogging
import WPModel
package import WPScheduler
import WPService
package import WPSettings
import WPStorage
import WPTerminal

/// A completed reading, and the exporter's totals after it.
struct WatchStep: Sendable {
    var snapshot: CollectionSnapshot
    var stored: WatchState.StoredTotals
}

/// Polls repeatedly and shows the results until the user ends it.
package struct WatchSession: Sendable {
    private enum Event {
        case reading(WatchStep)
        case output(LiveScreen.Event)
    }

    private let collector: Collector
    private let scheduler: any Scheduling
    private let timeSource: any TimeSource
    private let limit: Int?
    private let storage: StorageSettings
    private let start: WatchState

    /// - Parameter limit: the number of readings; nil for unlimited.
    package init(
        loaded: LoadedSettings<ExporterSettings>,
        collector: Collector,
        scheduler: any Scheduling,
        timeSource: any TimeSource,
        limit: Int?
    ) {
        self.collector = collector
        self.scheduler = scheduler
        self.timeSource = timeSource
        self.limit = limit
        storage = loaded.settings.storage
        start = WatchState(
            server: loaded.settings.winpower.baseURL?.description ?? "",
            interval: loaded.settings.scheduler.collectionInterval,
            start: timeSource.now
        )
    }

    /// Runs the watch.
    /// - Returns: the last error if no reading succeeded; nil otherwise, or if none completed.
    /// - Throws: the output's error.
    package func run(_ output: any WatchOutput) async throws -> String? {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let outputEvents = output.events
        let result = await withTaskGroup(of: Void.self, returning: Result<WatchState, any Error>.self) { group in
            group.addTask {
                await scheduler.run {
                    await collector.collect()
                    guard !Task.isCancelled else { return }
                    continuation.yield(.reading(WatchStep(snapshot: collector.snapshot, stored: await storedTotals())))
                }
            }
            group.addTask {
                for await event in outputEvents { continuation.yield(.output(event)) }
            }
            let result: Result<WatchState, any Error>
            do {
                result = .success(try await show(events, on: output))
            } catch {
                result = .failure(error)
            }
            // Before the tasks have ended, so that the user need not wait.
            output.close()
            Signals.restoreDefaults(Signals.ending)
            if let limit, case .success(let state) = result, state.count >= limit {
                output.leave(state, at: timeSource.now)
            }
            group.cancelAll()
            return result
        }
        let state = try result.get()
        return state.lastSuccess == nil ? state.failure?.message : nil
    }

    private func show(_ events: AsyncStream<Event>, on output: any WatchOutput) async throws -> WatchState {
        var state = start
        try output.show(state, isNew: false, at: timeSource.now)
        for await event in events {
            var isNew = false
            switch event {
            case .reading(let step):
                state.update(step)
                isNew = true
            case .output(.suspend): output.suspend()
            case .output(.redraw): break
            case .output(.end): return state
            }
            try output.show(state, isNew: isNew, at: timeSource.now)
            if let limit, state.count >= limit { return state }
        }
        return state
    }

    /// The totals that an exporter has saved, read without its lock.
    private func storedTotals() async -> WatchState.StoredTotals {
        do {
            let records = try await EnergyStoreError.advising {
                try await FileEnergyStore.peek(
                    FileEnergyStore.Configuration(directory: storage.dataDir),
                    logger: .silent
                )
            }
            guard !records.isEmpty else { return .none }
            let totals = records.filter { $0.key.source == .only }.map { ($0.key.device, $0.total) }
            return .totals(Dictionary(totals) { first, _ in first }, directory: storage.dataDir)
        } catch {
            return .unreadable("\(error)")
        }
    }
}

extension WatchState {
    /// Records a completed reading.
    mutating func update(_ step: WatchStep) {
        let snapshot = step.snapshot
        count = snapshot.generation
        readings = snapshot.readings
        lastSuccess = snapshot.lastSuccess
        session = snapshot.totals
        stored = step.stored
        // The session's totals are never saved, so a storage failure does not affect a reading.
        failure = snapshot.failure.flatMap { $0.reason == .storage ? nil : $0 }
    }
}
