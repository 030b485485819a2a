// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPModel

/// A serial task executor, such as a server runs its requests on. ``isCurrent`` says whether the caller runs on it.
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

/// A clock that notes whether it is asked on a server's thread: it shows where work is done that asks for the time.
package final class WatchedTimeSource: TimeSource {
    /// The thread that is watched.
    package let thread = ServerThread()
    private let seen = Mutex<[Bool]>([])
    private let time: any TimeSource

    /// - Parameter time: what it shows.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    /// This moment.
    package var now: TimePoint {
        seen.withLock { $0.append(thread.isCurrent) }
        return time.now
    }

    /// Forgets who asked.
    package func forget() { seen.withLock { $0 = [] } }

    /// Whether it was asked, and never on the thread.
    package var wasAskedElsewhere: Bool { seen.withLock { !$0.isEmpty && !$0.contains(true) } }
}
