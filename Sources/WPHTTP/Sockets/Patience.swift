// SPDX-License-Identifier: MIT

/// How long the blocking steps of one call may go on: until its deadline, or until its caller has gone.
struct Patience {
    /// When to give up.
    let deadline: Deadline
    private let waiter: SocketWaiter
    private let isInterrupted: @Sendable () -> Bool
    private var step = "while starting"

    /// Creates a limit.
    /// - Parameters:
    ///   - waiter: what the steps wait on.
    ///   - isInterrupted: whether the caller has gone. Whoever changes its answer wakes the waiter afterwards.
    init(deadline: Deadline, waiter: SocketWaiter, isInterrupted: @escaping @Sendable () -> Bool) {
        self.deadline = deadline
        self.waiter = waiter
        self.isInterrupted = isInterrupted
    }

    /// The same limit, with other words for what is being done, such as "while connecting".
    func during(_ step: String) -> Patience {
        var copy = self
        copy.step = step
        return copy
    }

    /// Goes on only when there is reason to.
    /// - Throws: ``HTTPClientError/Code/timeout``, or ``ClientFault/interrupted``.
    func check() throws(ClientFault) {
        if isInterrupted() { throw .interrupted }
        if deadline.hasPassed { throw ClientFault(.timeout, "the deadline passed \(step)") }
    }

    /// Waits until somebody wakes the waiter.
    /// - Throws: as ``check()`` does.
    func wait() throws(ClientFault) {
        _ = waiter.wait(for: nil, 0, until: deadline)
        try check()
    }

    /// Waits until a socket is ready.
    /// - Parameter earlier: a moment at which to stop waiting without failing.
    /// - Returns: whether the socket is ready; false when the earlier moment has passed.
    /// - Throws: as ``check()`` does.
    func wait(for descriptor: Int32, _ events: Int32, orUntil earlier: Deadline? = nil) throws(ClientFault) -> Bool {
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
