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

/// Makes system calls that may hang, each with a deadline of its own.
///
/// The calls of one batch run one after the other on a thread that ends with the batch. When one takes longer than a
/// moment, another thread takes the rest; when it reaches its deadline, the batch goes on without it. Nothing can
/// interrupt a call that hangs in the kernel, so its thread waits for it, and as long as it does, no call is made on that
/// path again. So there is at most one thread per hung path, and at most ``maximumStuck`` in all.
package final class CallGuard: Sendable {
    /// The maximum number of hung calls; while there are this many, no other call is made.
    static let maximumStuck = 32
    /// After this time a call no longer holds up those behind it.
    private static let patience = Duration.milliseconds(20)

    private let deadline: Duration
    private let stuckPaths = Mutex<Set<String>>([])

    /// Creates a guard.
    /// - Parameter deadline: how long one call may take.
    package init(deadline: Duration) {
        self.deadline = deadline
    }

    /// The paths on which a call hangs.
    var stuck: Set<String> { stuckPaths.withLock { $0 } }

    /// Makes the calls and gives their outcomes in the same order.
    func perform(_ calls: [BlockingCall]) -> [BlockingCall.Outcome] {
        guard !calls.isEmpty else { return [] }
        let stuck = stuck
        let batch = Batch(calls, isStuck: { stuck.contains($0) || stuck.count >= Self.maximumStuck })
        if batch.isDecided { return batch.outcomes }
        start(batch)
        while true {
            let now = ContinuousClock.now
            let step = batch.review(now, deadline: deadline, patience: Self.patience) { path in
                // Under the batch's lock, so that the thread that waits can only take it out again afterwards.
                stuckPaths.withLock { _ = $0.insert(path) }
            }
            switch step {
            case .decided: return batch.outcomes
            case .needsWorker: start(batch)
            case .wait(let until): batch.waitForProgress(now.duration(to: until))
            }
        }
    }

    private func start(_ batch: Batch) {
        let worker = batch.addWorker()
        let isStarted = DetachedThread.start { [self] in
            batch.work(as: worker) { path in
                stuckPaths.withLock { _ = $0.remove(path) }
            }
        }
        if !isStarted { batch.giveUp() }
    }
}

/// The calls of one batch and what is known of them so far.
private final class Batch: Sendable {
    enum Step {
        case decided
        case needsWorker
        case wait(until: ContinuousClock.Instant)
    }

    private struct State {
        var outcomes: [BlockingCall.Outcome?]
        var next = 0
        /// By worker: the call that it makes, and since when.
        var running: [(index: Int, since: ContinuousClock.Instant)?] = []
        var undecided: Int
    }

    private let calls: [BlockingCall]
    private let state: Mutex<State>
    private let progress = DispatchSemaphore(value: 0)

    init(_ calls: [BlockingCall], isStuck: (String) -> Bool) {
        self.calls = calls
        let outcomes = calls.map { isStuck($0.path) ? BlockingCall.Outcome.failed(.stuck) : nil }
        state = Mutex(State(outcomes: outcomes, undecided: outcomes.count { $0 == nil }))
    }

    var isDecided: Bool { state.withLock { $0.undecided == 0 } }

    var outcomes: [BlockingCall.Outcome] {
        state.withLock { state in state.outcomes.map { $0 ?? .failed(.timedOut) } }
    }

    func addWorker() -> Int {
        state.withLock { state in
            state.running.append(nil)
            return state.running.count - 1
        }
    }

    /// Decides what has waited too long, and says what the batch needs.
    func review(
        _ now: ContinuousClock.Instant,
        deadline: Duration,
        patience: Duration,
        markStuck: (String) -> Void
    ) -> Step {
        state.withLock { state in
            var wake = now + deadline
            var isHeldUp = true
            var isPending = false
            for (worker, run) in state.running.enumerated() {
                guard let run else {
                    // It has not begun yet, or has ended.
                    isHeldUp = false
                    wake = min(wake, now + patience)
                    continue
                }
                guard state.outcomes[run.index] == nil else { continue }
                if now - run.since >= deadline {
                    state.outcomes[run.index] = .failed(.timedOut)
                    state.undecided -= 1
                    markStuck(calls[run.index].path)
                } else {
                    isPending = true
                    wake = min(wake, run.since + deadline)
                    if now - run.since < patience {
                        isHeldUp = false
                        if worker == state.running.count - 1 { wake = min(wake, run.since + patience) }
                    }
                }
            }
            if isHeldUp, hasMore(state) {
                if state.running.count < CallGuard.maximumStuck { return .needsWorker }
                // All threads that there may be hang, and none of their calls is waited for any more.
                if !isPending { Self.giveUp(&state, .stuck) }
            }
            if state.undecided == 0 { return .decided }
            return .wait(until: wake)
        }
    }

    func waitForProgress(_ span: Duration) {
        let (seconds, attoseconds) = span.components
        let nanoseconds = max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, 0)
        _ = progress.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
    }

    /// Makes one call after the other, until none is left or one came back after its deadline.
    func work(as worker: Int, onLateReturn: (String) -> Void) {
        while let index = take(worker) {
            let outcome = calls[index].perform()
            let isInTime = state.withLock { state in
                guard state.outcomes[index] == nil else { return false }
                state.outcomes[index] = outcome
                state.undecided -= 1
                return true
            }
            guard isInTime else {
                onLateReturn(calls[index].path)
                return
            }
        }
        progress.signal()
    }

    /// Leaves what has not begun undone: no thread can be had.
    func giveUp() {
        state.withLock { Self.giveUp(&$0, .system(EAGAIN)) }
    }

    private static func giveUp(_ state: inout State, _ reason: HostFault.Reason) {
        for index in state.outcomes.indices where state.outcomes[index] == nil {
            guard !state.running.contains(where: { $0?.index == index }) else { continue }
            state.outcomes[index] = .failed(reason)
            state.undecided -= 1
        }
        state.next = state.outcomes.count
    }

    private func take(_ worker: Int) -> Int? {
        state.withLock { state in
            while state.next < calls.count, state.outcomes[state.next] != nil { state.next += 1 }
            guard state.next < calls.count else {
                state.running[worker] = nil
                return nil
            }
            defer { state.next += 1 }
            state.running[worker] = (state.next, ContinuousClock.now)
            return state.next
        }
    }

    private func hasMore(_ state: borrowing State) -> Bool {
        var index = state.next
        while index < calls.count {
            if state.outcomes[index] == nil { return true }
            index += 1
        }
        return false
    }
}
