// SPDX-License-Identifier: MIT

import WPCore
package import WPHistory
import WPModel

/// A problem with the machine's wall clock, in `/health`.
package struct ClockHealth: Codable, Equatable, Sendable {
    /// The reason from `ClockCheck`.
    package var reason: String
    /// How far the clock is ahead, in seconds.
    package var aheadSeconds: Double
    /// When it was detected, in RFC 3339.
    package var since: String

    package init(_ problem: ClockCheck.Problem) {
        reason = problem.reason.rawValue
        aheadSeconds = problem.seconds.rounded()
        since = RFC3339.string(problem.since.wall)
    }

    enum CodingKeys: String, CodingKey {
        case reason, since
        case aheadSeconds = "ahead_seconds"
    }
}
