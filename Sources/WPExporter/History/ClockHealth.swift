// SPDX-License-Identifier: MIT

package import WPHistory
import WPModel

/// What is wrong with the wall clock of the machine, as `/health` says it.
package struct ClockHealth: Codable, Equatable, Sendable {
    /// A reason of `ClockCheck`.
    package var reason: String
    /// By how much the clock is about ahead, in seconds.
    package var aheadSeconds: Double
    /// When that was noticed, in RFC 3339.
    package var since: String

    package init(_ problem: ClockCheck.Problem) {
        reason = problem.reason.rawValue
        aheadSeconds = problem.seconds.rounded()
        since = JSONReply.time(problem.since.wall)
    }

    enum CodingKeys: String, CodingKey {
        case reason, since
        case aheadSeconds = "ahead_seconds"
    }
}
