// SPDX-License-Identifier: MIT

package import Dispatch

/// Runs an actor on a serial queue of its own, so that its system calls block no thread of Swift's pool.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - label: the queue's name, which debuggers show.
    ///   - qos: how urgent its work is.
    package init(_ label: String, qos: DispatchQoS = .unspecified) {
        queue = DispatchQueue(label: label, qos: qos)
    }

    /// Runs a job of the actor when those before it have ended.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// A reference for the runtime.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
