// SPDX-License-Identifier: MIT

import WPHistory
import WPModel

/// The state of a server's history in its `/health`. One that fails makes the status degraded; metrics do without it.
package struct HistoryHealth: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
        /// It is still being opened; collections wait for it.
        case opening
        /// It is open, and what was complete is saved.
        case open
        /// It is open, and can't be saved: it is kept in memory and tried again.
        case failing
        /// It could not be opened, and none is kept; the log says why.
        case failed
    }

    package var state: State
    /// Since when it is `failing` or `failed`, in RFC 3339; nil in other states.
    package var since: String?
    /// What is wrong with the wall clock; nil while it is plausible.
    package var clock: ClockHealth?

    init(state: State, since: TimePoint? = nil) {
        self.state = state
        self.since = since.map { JSONReply.time($0.wall) }
    }

    /// That of an open history.
    init(_ history: History) {
        let status = history.status
        self.init(state: status.failure == nil ? .open : .failing, since: status.failingSince)
        clock = history.clockProblem.map(ClockHealth.init)
    }
}
