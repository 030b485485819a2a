// SPDX-License-Identifier: MIT

import Dispatch

/// Runs an actor on its own queue, like the exporter's store, so that all contenders have the same cost of switching
/// threads.
final class OwnQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "contender")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
