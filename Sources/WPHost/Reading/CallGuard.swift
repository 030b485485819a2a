// SPDX-License-Identifier: MIT

import Synchronization

/// Makes system calls that may hang, each with a deadline of its own.
///
/// The calls of one batch run one after the other on a thread that ends with the batch. When one takes longer than a
/// moment, another thread takes the rest; when it reaches its deadline, the batch goes on without it. Nothing can
/// interrupt a call that hangs in the kernel, so its thread waits for it, and as long as it does, no call is made on that
/// path again. At most ``maximumPerGroup`` calls of a group, such as the mounts of one server, hang at a time, and at
/// most ``maximumStuck`` in all: so what hangs costs its own group.
package final class CallGuard: Sendable {
    /// The maximum number of hung calls of one group; while there are this many, no other call of the group is made.
    static let maximumPerGroup = 4
    /// After this time a call no longer holds up those behind it.
    private static let patience = Duration.milliseconds(20)

    /// The maximum number of hung calls; while there are this many, no other call is made.
    let maximumStuck: Int
    private let deadline: Duration
    private let stuckCalls = Mutex<[ExactText: ExactText]>([:])

    /// Creates a guard.
    /// - Parameters:
    ///   - deadline: how long one call may take.
    ///   - maximumStuck: the maximum number of calls that may hang.
    package init(deadline: Duration, maximumStuck: Int = 32) {
        self.deadline = deadline
        self.maximumStuck = maximumStuck
    }

    /// The paths on which a call hangs.
    var stuck: Set<String> { stuckCalls.withLock { Set($0.keys.map(\.text)) } }

    /// Makes the calls and gives their outcomes in the same order.
    func perform(_ calls: [BlockingCall]) -> [BlockingCall.Outcome] {
        guard !calls.isEmpty else { return [] }
        let stuck = stuckCalls.withLock { $0 }
        let batch = CallBatch(calls, stuck: stuck, maximumWorkers: maximumStuck - stuck.count)
        while true {
            let now = ContinuousClock.now
            let step = batch.review(now, deadline: deadline, patience: Self.patience) { call in
                // Under the batch's lock, so that the thread that waits can only remove it afterwards.
                stuckCalls.withLock { $0[ExactText(call.path)] = ExactText(call.group) }
            }
            switch step {
            case .decided: return batch.outcomes
            case .needsWorker: start(batch)
            case .wait(let until): batch.waitForProgress(now.duration(to: until))
            }
        }
    }

    private func start(_ batch: CallBatch) {
        let worker = batch.addWorker()
        let isStarted = DetachedThread.start { [self] in
            batch.work(as: worker) { call in
                stuckCalls.withLock { _ = $0.removeValue(forKey: ExactText(call.path)) }
            }
        }
        if !isStarted { batch.giveUp(worker) }
    }
}
