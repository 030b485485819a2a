// SPDX-License-Identifier: MIT

import Synchronization
import WPCore

/// Makes system calls that may hang, each with its own deadline.
///
/// The calls of a batch run sequentially on a thread that ends with the batch. If one takes longer than
/// ``maximumWait``, another thread takes over the remaining calls; at its deadline, the batch continues without it.
/// Nothing can interrupt a call that hangs in the kernel, so its thread keeps waiting, and until it returns, no other
/// call is made on that path. At most ``maximumPerGroup`` calls of a group, such as the mounts of one server, and at
/// most ``maximumStuck`` in total hang at a time, so a hang affects only its own group.
package final class CallGuard: Sendable {
    /// The maximum number of hung calls of a group; at this number, no other call of the group is made.
    static let maximumPerGroup = 4
    /// A call that takes longer than this no longer delays the following ones.
    private static let maximumWait = Duration.milliseconds(20)
    /// Not injected: system calls hang in real time, and a semaphore waits for them.
    static let timeSource = SystemTimeSource()

    /// The maximum number of hung calls; at this number, no other call is made.
    let maximumStuck: Int
    private let deadline: Duration
    private let stuckCalls = Mutex<[ExactText: ExactText]>([:])

    /// Creates a guard.
    /// - Parameters:
    ///   - deadline: the maximum duration of a call.
    ///   - maximumStuck: the maximum number of calls that may hang.
    package init(deadline: Duration, maximumStuck: Int = 32) {
        self.deadline = deadline
        self.maximumStuck = maximumStuck
    }

    /// The paths on which a call hangs.
    var stuck: Set<String> { stuckCalls.withLock { Set($0.keys.map(\.text)) } }

    /// Makes the calls and returns their outcomes in the same order.
    func perform(_ calls: [BlockingCall]) -> [BlockingCall.Outcome] {
        guard !calls.isEmpty else { return [] }
        let stuck = stuckCalls.withLock { $0 }
        let batch = CallBatch(calls, stuck: stuck, maximumWorkers: maximumStuck - stuck.count)
        while true {
            let now = Self.timeSource.now.monotonic
            let step = batch.review(now, deadline: deadline, maximumWait: Self.maximumWait) { call in
                // Under the batch's lock, so that the waiting thread can only remove it afterwards.
                stuckCalls.withLock { $0[ExactText(call.path)] = ExactText(call.group) }
            }
            switch step {
            case .decided: return batch.outcomes
            case .needsWorker: start(batch)
            case .wait(let until): batch.waitForProgress(until - now)
            }
        }
    }

    private func start(_ batch: CallBatch) {
        let worker = batch.addWorker()
        let code = DetachedThread.start(named: "host-call") { [self] in
            batch.work(as: worker) { call in
                stuckCalls.withLock { _ = $0.removeValue(forKey: ExactText(call.path)) }
            }
        }
        if code != 0 { batch.giveUp(worker) }
    }
}
