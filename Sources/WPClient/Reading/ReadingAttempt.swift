// SPDX-License-Identifier: MIT

import Synchronization

/// What one reading has come to so far. The pages that are read at the same time share it.
final class ReadingAttempt: Sendable {
    private struct State {
        var reachedServer = false
        var isAuthenticated = false
        var replacedToken: Int?
    }

    /// When the reading must be over, on the time source's monotonic clock.
    let deadline: Duration
    private let state = Mutex(State())

    init(deadline: Duration) {
        self.deadline = deadline
    }

    /// Whether the server answered at all.
    var reachedServer: Bool { state.withLock { $0.reachedServer } }
    /// Whether the server accepted the credentials or the token, when it last judged them.
    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    /// Notes that the server answered.
    func noteAnswer() {
        state.withLock { $0.reachedServer = true }
    }

    /// Notes whether the server accepted what it was shown.
    func noteAuthentication(_ isAccepted: Bool) {
        state.withLock { state in
            state.reachedServer = true
            state.isAuthenticated = isAccepted
        }
    }

    /// Whether the reading may ask for another token in place of this one: it may do so once, and all of its pages
    /// that were refused with the same token share that.
    func mayReplace(_ token: Token) -> Bool {
        state.withLock { state in
            guard let replaced = state.replacedToken else {
                state.replacedToken = token.number
                return true
            }
            return token.number <= replaced
        }
    }
}
