// SPDX-License-Identifier: MIT

import Dispatch

/// A task executor of one thread at a time, as a server has for its requests, that tells whether it is running the caller.
package final class ServerThread: TaskExecutor {
    private static let mark = DispatchSpecificKey<ObjectIdentifier>()
    private let queue = DispatchQueue(label: "server")

    /// Creates one.
    package init() {
        queue.setSpecific(key: Self.mark, value: ObjectIdentifier(self))
    }

    /// Whether the caller runs on it.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(self) }

    /// Runs a job.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs a function on it, as a server runs a handler.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await Task(executorPreference: self) { try await body() }.value
    }
}
