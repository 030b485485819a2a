// SPDX-License-Identifier: MIT

import Dispatch

/// Runs an actor on a serial queue of its own, so that its system calls block no thread of Swift's pool.
final class StorageQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "winpower-exporter.storage")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
