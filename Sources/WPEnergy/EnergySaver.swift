// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPLogging
import WPModel

/// Saves the states of a meter in the background, one at a time, each followed by the newest pending one. An older
/// state never overwrites a newer one.
final class EnergySaver: Sendable {
    /// A state to save.
    struct State: Sendable {
        /// The version; larger is newer.
        var version: Int
        var records: [EnergyRecord]
        /// The totals to publish when the records are saved.
        var totals: [DeviceID: EnergyTotal]
    }

    /// The result of saving.
    struct Result: Sendable {
        /// The last saved totals.
        var totals: [DeviceID: EnergyTotal]
        /// Whether the state is saved.
        var isSaved: Bool
        /// The error; nil on success, and while the save is in progress.
        var failure: EnergyStoreError?
    }

    private struct Waiter {
        var id: Int
        var version: Int
        var continuation: CheckedContinuation<Result, Never>
        var timer: Task<Void, Never>?
    }

    private struct Progress {
        var totals: [DeviceID: EnergyTotal]
        var savedVersion: Int
        /// The version being saved.
        var inFlight: Int?
        /// Whether a wait for the save in flight has timed out.
        var isLate = false
        /// The newest pending state.
        var next: State?
        var waiters: [Waiter] = []
        var lastWaiter = 0
        var failedSaves = 0

        func result(of version: Int, failure: EnergyStoreError? = nil) -> Result {
            Result(totals: totals, isSaved: version <= savedVersion, failure: failure)
        }
    }

    private let store: any EnergyStore
    private let timeSource: any TimeSource
    private let logger: Logger
    private let progress: Mutex<Progress>

    /// - Parameters:
    ///   - totals: the totals in the store, as version 0.
    ///   - timeSource: the clock of the timeout.
    init(store: any EnergyStore, totals: [DeviceID: EnergyTotal], timeSource: any TimeSource, logger: Logger) {
        self.store = store
        self.timeSource = timeSource
        self.logger = logger
        progress = Mutex(Progress(totals: totals, savedVersion: 0))
    }

    /// The last saved totals.
    var totals: [DeviceID: EnergyTotal] { progress.withLock { $0.totals } }

    /// Saves a state unless it is already saved, and waits for it.
    /// - Parameter timeout: the maximum wait; nil for no limit. A save that has timed out once is not waited for again.
    func save(_ state: State, timeout: Duration?) async -> Result {
        await withCheckedContinuation { continuation in
            let (result, begins): (Result?, Bool) = progress.withLock { progress in
                guard state.version > progress.savedVersion else { return (progress.result(of: state.version), false) }
                let begins = progress.inFlight == nil
                if let saving = progress.inFlight {
                    if state.version > progress.next?.version ?? saving { progress.next = state }
                } else {
                    progress.inFlight = state.version
                }
                if progress.isLate, timeout != nil { return (progress.result(of: state.version), begins) }
                progress.lastWaiter += 1
                let id = progress.lastWaiter
                let timer = timeout.map { timeout in
                    Task {
                        guard await self.timeSource.hasSlept(for: timeout) else { return }
                        self.expire(id, after: timeout)
                    }
                }
                progress.waiters.append(
                    Waiter(id: id, version: state.version, continuation: continuation, timer: timer)
                )
                return (nil, begins)
            }
            if begins { Task { await run(state) } }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Saves this state and then the newest pending one, until there is none.
    private func run(_ first: State) async {
        var state = first
        while true {
            var failure: EnergyStoreError?
            do {
                try await store.save(state.records)
            } catch {
                failure =
                    error as? EnergyStoreError
                    ?? EnergyStoreError(code: .io, message: "The energy totals could not be saved: \(error)")
            }
            guard let next = ended(state, failure) else { return }
            state = next
        }
    }

    /// - Returns: the next state to save.
    private func ended(_ state: State, _ failure: EnergyStoreError?) -> State? {
        let (next, done, failedSaves, wasLate) = progress.withLock { progress in
            let failedSaves = progress.failedSaves
            let wasLate = progress.isLate
            if failure == nil {
                progress.totals = state.totals
                progress.savedVersion = state.version
                progress.failedSaves = 0
            } else {
                progress.failedSaves += 1
            }
            let done = progress.waiters.filter { $0.version <= state.version }
            progress.waiters.removeAll { $0.version <= state.version }
            let next = progress.next
            progress.next = nil
            progress.inFlight = next?.version
            progress.isLate = false
            return (next, done.map { ($0, progress.result(of: $0.version, failure: failure)) }, failedSaves, wasLate)
        }
        if let failure, failedSaves == 0 {
            logger.error(
                "Energy totals could not be saved; they are kept in memory and saved as soon as that is possible",
                ["code": .string(failure.code.rawValue), "error": .string(failure.message)]
            )
        } else if failure == nil, failedSaves > 0 || wasLate {
            logger.info("Energy totals are saved again", ["failed_saves": .int(failedSaves)])
        }
        for (waiter, result) in done {
            waiter.timer?.cancel()
            waiter.continuation.resume(returning: result)
        }
        return next
    }

    /// Ends a wait after its timeout.
    private func expire(_ id: Int, after timeout: Duration) {
        let (waiter, result, isFirst): (Waiter?, Result?, Bool) = progress.withLock { progress in
            guard let index = progress.waiters.firstIndex(where: { $0.id == id }) else { return (nil, nil, false) }
            let waiter = progress.waiters.remove(at: index)
            defer { progress.isLate = true }
            return (waiter, progress.result(of: waiter.version), !progress.isLate)
        }
        guard let waiter, let result else { return }
        if isFirst {
            logger.warn(
                "Saving the energy totals takes long; collection continues and shows the last saved totals",
                ["waited_ms": .milliseconds(timeout)]
            )
        }
        waiter.continuation.resume(returning: result)
    }
}
