// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A watched descriptor, and the task that waits for it.
///
/// Unchecked because it is used only on its loop's thread.
final class Channel: @unchecked Sendable {
    /// The condition that a task waits for.
    enum Interest {
        case read
        case write
        /// Only a call of ``Channel/interrupt()``.
        case interrupt
    }

    /// The outcome of a wait.
    enum Outcome {
        case ready
        case timedOut
        /// ``interrupt()`` was called.
        case interrupted
        /// The channel was closed.
        case closed
    }

    /// Callbacks for the channel's owner.
    struct Callbacks {
        /// The descriptor may be readable or writable.
        var onEvent: (() -> Void)?
        /// The peer has closed its sending side; called once.
        var onHangUp: (() -> Void)?
        /// The connection is closed in both directions; called once.
        var onBreak: (() -> Void)?
    }

    let token: UInt64
    private(set) var descriptor: Int32
    private let loop: EventLoop
    var callbacks = Callbacks()

    /// Whether reading may succeed. Cleared by a caller that has to wait.
    var isReadable = true
    /// The round of the loop that found the descriptor readable; 0 before the first.
    private(set) var readableTurn: UInt64 = 0
    /// Whether writing may succeed. Cleared by a caller that has to wait.
    var isWritable = true
    /// Whether the peer has closed its sending side.
    private(set) var isHungUp = false
    /// Whether the connection is closed in both directions.
    private(set) var isBroken = false

    private var waiter: UnsafeContinuation<Outcome, Never>?
    private var interest = Interest.read
    private var isInterrupted = false
    /// The deadline of the wait; ``Swift/Duration/never`` if there is none.
    private(set) var deadline = Duration.never

    init(descriptor: Int32, token: UInt64, loop: EventLoop) {
        self.descriptor = descriptor
        self.token = token
        self.loop = loop
    }

    deinit { closeDescriptor() }

    var isOpen: Bool { descriptor >= 0 }

    /// Waits until reading or writing may succeed.
    nonisolated(nonsending) func wait(for interest: Interest, until deadline: Duration) async -> Outcome {
        guard isOpen else { return .closed }
        if isInterrupted {
            isInterrupted = false
            return .interrupted
        }
        if isReady(interest) { return .ready }
        return await withUnsafeContinuation { continuation in
            self.interest = interest
            self.deadline = deadline
            waiter = continuation
            loop.wake(by: deadline)
        }
    }

    private func isReady(_ interest: Interest) -> Bool {
        switch interest {
        case .read: isReadable
        case .write: isWritable
        case .interrupt: false
        }
    }

    /// Ends the current wait, or the next one if none is in progress.
    func interrupt() {
        if waiter == nil { isInterrupted = true } else { resume(.interrupted) }
    }

    /// Closes the descriptor, and ends the current wait, if any.
    func close() {
        guard isOpen else { return }
        loop.forget(self)
        closeDescriptor()
        callbacks = Callbacks()
        resume(.closed)
    }

    /// The current round if it found the descriptor readable, otherwise 0; always 0 for later calls in the round.
    func takeTurn() -> UInt64 {
        defer { readableTurn = 0 }
        return readableTurn == loop.turn ? readableTurn : 0
    }

    func handle(_ event: PollEvent) {
        if event.isReadable {
            isReadable = true
            readableTurn = loop.turn
        }
        if event.isWritable { isWritable = true }
        if event.isHangUp, !isHungUp {
            isHungUp = true
            callbacks.onHangUp?()
        }
        if event.isBroken, !isBroken {
            isBroken = true
            callbacks.onBreak?()
        }
        if isReady(interest) { resume(.ready) }
        callbacks.onEvent?()
    }

    /// Ends the wait if its deadline has passed.
    func checkDeadline(_ now: Duration) {
        if deadline <= now { resume(.timedOut) }
    }

    private func resume(_ outcome: Outcome) {
        guard let waiter else { return }
        self.waiter = nil
        deadline = .never
        waiter.resume(returning: outcome)
    }

    private func closeDescriptor() {
        guard descriptor >= 0 else { return }
        systemClose(descriptor)
        descriptor = -1
    }
}

private func systemClose(_ descriptor: Int32) {
    close(descriptor)
}
