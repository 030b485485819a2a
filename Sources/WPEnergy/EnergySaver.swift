// SPDX-License-Identifier: MIT

import Synchronization
import WPLogging
import WPModel

/// Saves the states of a meter aside: one at a time, and after each the newest that came meanwhile. An older state
/// never overwrites a newer one.
final class EnergySaver: Sendable {
    /// Something to save.
    struct State: Sendable {
        /// The larger of two is the newer.
        var version: Int
        var records: [EnergyRecord]
        /// What is shown as soon as the records are saved.
        var totals: [DeviceID: EnergyTotal]
    }

    /// How saving went.
    struct Result: Sendable {
        /// The totals as they were saved last.
        var totals: [DeviceID: EnergyTotal]
        /// Whether the state that was given is saved.
        var isSaved: Bool
        /// Why it is not; nil when it is, and while the save is still under way.
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
        /// The version that is being saved.
        var inFlight: Int?
        /// Whether a caller's wait for that has timed out.
        var isLate = false
        /// The newest state that came meanwhile.
        var next: State?
        var waiters: [Waiter] = []
        var lastWaiter = 0
        var failedSaves = 0

        func result(of version: Int, failure: EnergyStoreError? = nil) -> Result {
            Result(totals: totals, isSaved: version <= savedVersion, failure: failure)
        }
    }

    private let store: any EnergyStore
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let progress: Mutex<Progress>

    /// - Parameters:
    ///   - totals: what the store holds, as version 0.
    ///   - clock: on which waiting for a save ends.
    init(store: any EnergyStore, totals: [DeviceID: EnergyTotal], clock: any Clock<Duration>, logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
        progress = Mutex(Progress(totals: totals, savedVersion: 0))
    }

    /// The totals as they were saved last.
    var totals: [DeviceID: EnergyTotal] { progress.withLock { $0.totals } }

    /// Saves a state, unless it is saved already, and waits for that.
    /// - Parameter timeout: how long to wait at most; nil for as long as it takes. A save for which a wait has timed out
    ///   is not waited for again.
    func save(_ state: State, timeout: Duration?) async -> Result {
        await withCheckedContinuation { continuation in
            let (result, begins): (Result?, Bool) = progress.withLock { progress in
                guard state.version > progress.savedVersion else { return (progress.result(of: state.version), false) }
                let begins = progress.inFlight == nil
                if begins {
                    progress.inFlight = state.version
                } else if state.version > progress.next?.version ?? progress.inFlight ?? 0 {
                    progress.next = state
                }
                if progress.isLate, timeout != nil { return (progress.result(of: state.version), begins) }
                progress.lastWaiter += 1
                let id = progress.lastWaiter
                let timer = timeout.map { timeout in
                    Task {
                        guard (try? await self.clock.sleep(for: timeout)) != nil else { return }
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

    /// Saves this state and then the newest one that came meanwhile, until there is none.
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

    /// - Returns: what is to be saved next.
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

    /// Ends a wait that has timed out.
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
                "Saving the energy totals takes long; collecting continues and shows what was saved last",
                ["waited_ms": .milliseconds(timeout)]
            )
        }
        waiter.continuation.resume(returning: result)
    }
}
