// SPDX-License-Identifier: MIT

package import WPCore
package import WPHistory

/// The status of a server's history in `/health`. A failing history degrades the status; metrics work without it.
package struct HistoryHealth: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
        /// It is still opening; collections are queued.
        case opening
        /// It is open, and all complete buckets are saved.
        case open
        /// It is open, but saving fails: buckets stay in memory and saving is retried.
        case failing
        /// It could not be opened, and no history is kept; see the log.
        case failed
    }

    package var state: State
    /// Since when it is `failing` or `failed`, in RFC 3339; nil otherwise.
    package var since: String?
    /// The problem with the wall clock; nil while it is plausible.
    package var clock: ClockHealth?

    package init(state: State, since: TimePoint? = nil) {
        self.state = state
        self.since = since.map { RFC3339.string($0.wall) }
    }

    /// The status of an open history.
    package init(_ history: History) {
        let status = history.status
        self.init(state: status.failure == nil ? .open : .failing, since: status.failingSince)
        clock = history.clockProblem.map(ClockHealth.init)
    }
}
