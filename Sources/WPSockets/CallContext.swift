// SPDX-License-Identifier: MIT

/// The deadline and cancellation of one blocking call.
package struct CallContext: Sendable {
    /// The deadline.
    package let deadline: Deadline
    private let waiter: SocketWaiter
    private let isCancelled: @Sendable () -> Bool
    private var step = "while starting"

    /// Creates a context.
    /// - Parameters:
    ///   - waiter: the waiter for the call's steps.
    ///   - isCancelled: whether the call has been cancelled. Wake the waiter after cancelling.
    package init(deadline: Deadline, waiter: SocketWaiter, isCancelled: @escaping @Sendable () -> Bool) {
        self.deadline = deadline
        self.waiter = waiter
        self.isCancelled = isCancelled
    }

    /// The same context with another description of the step, such as "while connecting".
    package func during(_ step: String) -> CallContext {
        var copy = self
        copy.step = step
        return copy
    }

    /// Checks the deadline and cancellation.
    /// - Throws: ``SocketFault`` of kind ``SocketFault/Kind/timeout`` or ``SocketFault/Kind/cancelled``.
    package func check() throws(SocketFault) {
        if isCancelled() { throw SocketFault(.cancelled, "the call was cancelled \(step)") }
        if deadline.hasPassed { throw SocketFault(.timeout, "the deadline passed \(step)") }
    }

    /// Waits until the waiter is woken.
    /// - Throws: as ``check()`` does.
    package func wait() throws(SocketFault) {
        _ = waiter.wait(for: nil, 0, until: deadline)
        try check()
    }

    /// Waits until a socket is ready.
    /// - Parameter earlier: when to stop waiting without an error; nil to wait until the deadline.
    /// - Returns: whether the socket is ready; false if `earlier` has passed.
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
