// SPDX-License-Identifier: MIT

import Synchronization

/// A caller waiting for a response. The first response, failure, cancellation or deadline ends the wait; later ones are
/// ignored.
final class ClientCall: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<HTTPResponse, any Error>)
        /// The result, if it arrived before the wait began.
        case ended(Result<HTTPResponse, any Error>?)
    }

    private let state = Mutex(State.new)

    /// Whether the wait has ended.
    var hasEnded: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    /// Begins to wait.
    /// - Returns: whether the wait continues; false if it had already ended and the continuation was resumed.
    func begin(_ continuation: CheckedContinuation<HTTPResponse, any Error>) -> Bool {
        let early: Result<HTTPResponse, any Error>? = state.withLock { state in
            guard case .ended(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .ended(nil)
            return result
        }
        guard let early else { return true }
        continuation.resume(with: early)
        return false
    }

    /// Ends the wait, unless it has already ended.
    func end(_ result: Result<HTTPResponse, any Error>) {
        let continuation: CheckedContinuation<HTTPResponse, any Error>? = state.withLock { state in
            switch state {
            case .new:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(nil)
                return continuation
            case .ended:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
