// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPCore

/// A serial task executor like the one a server runs its requests on. ``isCurrent`` returns whether the caller runs
/// on it.
package final class ServerThread: TaskExecutor {
    private static let mark = DispatchSpecificKey<ObjectIdentifier>()
    private let queue = DispatchQueue(label: "server")

    /// Creates an executor.
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

/// A clock that records whether it is read on a server's thread, to show where work that reads the time runs.
package final class WatchedTimeSource: TimeSource {
    /// The watched thread.
    package let thread = ServerThread()
    private let seen = Mutex<[Bool]>([])
    private let time: any TimeSource

    /// - Parameter time: the underlying clock.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    /// The current moment.
    package var now: TimePoint {
        seen.withLock { $0.append(thread.isCurrent) }
        return time.now
    }

    /// Sleeps on the underlying clock.
    package func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
        try await time.sleep(until: monotonic, tolerance: tolerance)
    }

    /// Discards the recorded reads.
    package func forget() { seen.withLock { $0 = [] } }

    /// Whether it was read, and never on the watched thread.
    package var wasReadElsewhere: Bool { seen.withLock { !$0.isEmpty && !$0.contains(true) } }
}
