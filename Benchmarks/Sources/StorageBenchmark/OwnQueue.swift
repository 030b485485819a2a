// SPDX-License-Identifier: MIT

import Dispatch

/// Runs an actor on a queue of its own, as the exporter's store does and as any program must whose system calls block:
/// what it costs to hand work over is then the same for all contenders.
final class OwnQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "contender")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
