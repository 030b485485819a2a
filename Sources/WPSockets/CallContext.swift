// SPDX-License-Identifier: MIT

/// The deadline and the cancellation of one call that blocks.
package struct CallContext: Sendable {
    /// When to give up.
    package let deadline: Deadline
    private let waiter: SocketWaiter
    private let isCancelled: @Sendable () -> Bool
    private var step = "while starting"

    /// Creates a context.
    /// - Parameters:
    ///   - waiter: what the call's steps wait on.
    ///   - isCancelled: whether nobody waits for the call any more. What changes its answer wakes the waiter
    ///     afterwards.
    package init(deadline: Deadline, waiter: SocketWaiter, isCancelled: @escaping @Sendable () -> Bool) {
        self.deadline = deadline
        self.waiter = waiter
        self.isCancelled = isCancelled
    }

    /// The same context, with other words for what is being done, such as "while connecting".
    package func during(_ step: String) -> CallContext {
        var copy = self
        copy.step = step
        return copy
    }

    /// Returns when there is reason to continue.
    /// - Throws: with ``SocketFault/Kind/timeout`` or ``SocketFault/Kind/cancelled``.
    package func check() throws(SocketFault) {
        if isCancelled() { throw SocketFault(.cancelled, "the call was cancelled \(step)") }
        if deadline.hasPassed { throw SocketFault(.timeout, "the deadline passed \(step)") }
    }

    /// Waits until somebody wakes the waiter.
    /// - Throws: as ``check()`` does.
    package func wait() throws(SocketFault) {
        _ = waiter.wait(for: nil, 0, until: deadline)
        try check()
    }

    /// Waits until a socket is ready.
    /// - Parameter earlier: a moment at which to stop waiting without failing.
    /// - Returns: whether the socket is ready; false when the earlier moment has passed.
    /// - Throws: as ``check()`` does.
    package func wait(for descriptor: Int32, _ events: Int32, orUntil earlier: Deadline? = nil) throws(SocketFault)
        -> Bool
    {
        while true {
            let outcome = waiter.wait(for: descriptor, events, until: earlier ?? deadline)
            try check()
            switch outcome {
            case .ready: return true
            case .elapsed: return false
            case .woken: continue
            }
        }
    }
}
