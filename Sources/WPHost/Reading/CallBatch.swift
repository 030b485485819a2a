// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls of one batch of a ``CallGuard``, and what is known of them so far.
final class CallBatch: Sendable {
    /// What the batch needs next.
    enum Step {
        case decided
        case needsWorker
        case wait(until: ContinuousClock.Instant)
    }

    private enum Worker {
        case starting
        case calling(index: Int, since: ContinuousClock.Instant)
        case ended
    }

    private struct State {
        var outcomes: [BlockingCall.Outcome?]
        var undecided: Int
        /// The first call that no worker has looked at.
        var next = 0
        /// Calls that wait until fewer calls of their group are under way.
        var deferred: [Int] = []
        /// How many calls of each group are under way, also those that hang since earlier batches.
        var load: [ExactText: Int]
        var workers: [Worker] = []
    }

    private let calls: [BlockingCall]
    private let groups: [ExactText]
    private let maximumWorkers: Int
    private let state: Mutex<State>
    private let progress = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - stuck: the paths on which calls of earlier batches hang, and their groups.
    ///   - maximumWorkers: how many threads there may be.
    init(_ calls: [BlockingCall], stuck: [ExactText: ExactText], maximumWorkers: Int) {
        self.calls = calls
        self.maximumWorkers = maximumWorkers
        groups = calls.map { ExactText($0.group) }
        let outcomes = calls.map {
            stuck[ExactText($0.path)] != nil ? BlockingCall.Outcome.failed(.stuck) : nil
        }
        var load: [ExactText: Int] = [:]
        for group in stuck.values { load[group, default: 0] += 1 }
        state = Mutex(State(outcomes: outcomes, undecided: outcomes.count { $0 == nil }, load: load))
    }

    var outcomes: [BlockingCall.Outcome] {
        state.withLock { state in state.outcomes.map { $0 ?? .failed(.timedOut) } }
    }

    func addWorker() -> Int {
        state.withLock { state in
            state.workers.append(.starting)
            return state.workers.count - 1
        }
    }

    /// Decides what has waited too long, and says what the batch needs.
    func review(
        _ now: ContinuousClock.Instant,
        deadline: Duration,
        patience: Duration,
        markStuck: (BlockingCall) -> Void
    ) -> Step {
        state.withLock { state in
            guard state.undecided > 0 else { return .decided }
            var wake = now + deadline
            var isHeldUp = true
            var isPending = false
            for (position, worker) in state.workers.enumerated() {
                switch worker {
                case .ended: continue
                case .starting:
                    (isHeldUp, isPending) = (false, true)
                    wake = min(wake, now + patience)
                case .calling(let index, let since):
                    guard state.outcomes[index] == nil else { continue }
                    if now - since >= deadline {
                        state.outcomes[index] = .failed(.timedOut)
                        state.undecided -= 1
                        markStuck(calls[index])
                        continue
                    }
                    isPending = true
                    wake = min(wake, since + deadline)
                    if now - since < patience {
                        isHeldUp = false
                        if position == state.workers.count - 1 { wake = min(wake, since + patience) }
                    }
                }
            }
            if isHeldUp, hasEligible(state) {
                if state.workers.count < maximumWorkers { return .needsWorker }
            }
            // What is left may not be called: its group, or as many threads as there may be, hang.
            if !isPending { giveUp(&state, .stuck) }
            return state.undecided == 0 ? .decided : .wait(until: wake)
        }
    }

    func waitForProgress(_ span: Duration) {
        let (seconds, attoseconds) = span.components
        let nanoseconds = max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, 0)
        _ = progress.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
    }

    /// Makes one call after the other, until none is left or one came back after its deadline.
    func work(as worker: Int, onLateReturn: (BlockingCall) -> Void) {
        while let index = take(worker) {
            let outcome = calls[index].perform()
            let isInTime = state.withLock { state in
                state.load[groups[index], default: 0] -= 1
                guard state.outcomes[index] == nil else {
                    state.workers[worker] = .ended
                    return false
                }
                state.outcomes[index] = outcome
                state.undecided -= 1
                return true
            }
            guard isInTime else {
                onLateReturn(calls[index])
                return
            }
        }
        progress.signal()
    }

    /// Leaves what has not begun undone: the system has no thread to give.
    func giveUp(_ worker: Int) {
        state.withLock { state in
            state.workers[worker] = .ended
            giveUp(&state, .system(EAGAIN))
        }
    }

    private func giveUp(_ state: inout State, _ reason: HostFault.Reason) {
        var running: Set<Int> = []
        for case .calling(let index, _) in state.workers { running.insert(index) }
        for index in state.outcomes.indices where state.outcomes[index] == nil && !running.contains(index) {
            state.outcomes[index] = .failed(reason)
            state.undecided -= 1
        }
        (state.next, state.deferred) = (state.outcomes.count, [])
    }

    private func take(_ worker: Int) -> Int? {
        state.withLock { state in
            guard let index = nextEligible(&state) else {
                state.workers[worker] = .ended
                return nil
            }
            state.load[groups[index], default: 0] += 1
            state.workers[worker] = .calling(index: index, since: .now)
            return index
        }
    }

    private func nextEligible(_ state: inout State) -> Int? {
        state.deferred.removeAll { state.outcomes[$0] != nil }
        if let position = state.deferred.firstIndex(where: { isEligible($0, state) }) {
            return state.deferred.remove(at: position)
        }
        while state.next < calls.count {
            let index = state.next
            state.next += 1
            guard state.outcomes[index] == nil else { continue }
            if isEligible(index, state) { return index }
            state.deferred.append(index)
        }
        return nil
    }

    private func hasEligible(_ state: borrowing State) -> Bool {
        state.deferred.contains { state.outcomes[$0] == nil && isEligible($0, state) }
            || (state.next..<calls.count).contains { state.outcomes[$0] == nil && isEligible($0, state) }
    }

    private func isEligible(_ index: Int, _ state: borrowing State) -> Bool {
        state.load[groups[index], default: 0] < CallGuard.maximumPerGroup
    }
}
