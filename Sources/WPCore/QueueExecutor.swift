// SPDX-License-Identifier: MIT

package import Dispatch

/// Runs an actor on its own serial queue, so that its system calls do not block threads of Swift's pool.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - label: the queue's name in debuggers.
    ///   - qos: the quality of service of its work.
    package init(_ label: String, qos: DispatchQoS = .unspecified) {
        queue = DispatchQueue(label: label, qos: qos)
    }

    /// Runs a job of the actor after all earlier ones.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// A reference for the runtime.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
