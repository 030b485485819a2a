// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls of one batch of a ``CallGuard``, and their outcomes so far.
final class CallBatch: Sendable {
    /// The next step of the batch.
    enum Step {
        case decided
        case needsWorker
        /// The time by the monotonic clock.
        case wait(until: Duration)
    }

    private enum Worker {
        case starting
        case calling(index: Int, since: Duration)
        case ended
    }

    private struct State {
        var outcomes: [BlockingCall.Outcome?]
        var undecided: Int
        /// The first call not yet processed by a worker.
        var next = 0
        /// Calls deferred until fewer calls of their group are running.
        var deferred: [Int] = []
        /// The number of running calls per group, including those that have hung since earlier batches.
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
    ///   - maximumWorkers: the maximum number of threads.
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

    /// Fails the calls that reached their deadline, and returns the next step.
    func review(
        _ now: Duration,
        deadline: Duration,
        maximumWait: Duration,
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
                    wake = min(wake, now + maximumWait)
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
                    if now - since < maximumWait {
                        isHeldUp = false
                        if position == state.workers.count - 1 { wake = min(wake, since + maximumWait) }
                    }
                }
            }
            if isHeldUp, hasEligible(state) {
                if state.workers.count < maximumWorkers { return .needsWorker }
            }
            // The remaining calls cannot be made: their group, or the maximum number of threads, hangs.
            if !isPending { giveUp(&state, .stuck) }
            return state.undecided == 0 ? .decided : .wait(until: wake)
        }
    }

    func waitForProgress(_ span: Duration) {
        let (seconds, attoseconds) = span.components
        let nanoseconds = max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, 0)
        _ = progress.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
    }

    /// Makes calls until none is left or one returns after its deadline.
    func work(as worker: Int, onLateReturn: (BlockingCall) -> Void) {
        while let index = claim(worker) {
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

    /// Fails the calls that have not started, because no thread is available.
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

    private func claim(_ worker: Int) -> Int? {
        state.withLock { state in
            guard let index = nextEligible(&state) else {
                state.workers[worker] = .ended
                return nil
            }
            state.load[groups[index], default: 0] += 1
            state.workers[worker] = .calling(index: index, since: CallGuard.timeSource.now.monotonic)
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
