// SPDX-License-Identifier: MIT

import Synchronization

/// The state of a poll, shared by concurrent page requests.
final class ReadingAttempt: Sendable {
    private struct State {
        var reachedServer = false
        var isAuthenticated = false
        var replacedToken: Int?
    }

    /// The deadline of the poll on the monotonic clock.
    let deadline: Duration
    private let state = Mutex(State())

    init(deadline: Duration) {
        self.deadline = deadline
    }

    /// Whether the server answered at all.
    var reachedServer: Bool { state.withLock { $0.reachedServer } }
    /// Whether the server accepted the last credentials or token.
    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    /// Records that the server answered.
    func recordAnswer() {
        state.withLock { $0.reachedServer = true }
    }

    /// Records whether the server accepted the credentials or token.
    func recordAuthentication(_ isAccepted: Bool) {
        state.withLock { state in
            state.reachedServer = true
            state.isAuthenticated = isAccepted
        }
    }

    /// Whether the poll may replace this token: once, shared by all pages that were rejected with it.
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
