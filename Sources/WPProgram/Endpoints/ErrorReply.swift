// SPDX-License-Identifier: MIT

package import WPCore
import WPHTTP
import WPLogging
package import WPServer

/// The body of error responses: `{"error":"not_found","path":"/x","ts":"2026-01-02T03:04:05Z"}`, without path and time
/// if there is no request.
package enum ErrorReply {
    package static func renderer(_ timeSource: any TimeSource) -> HTTPProblem.Renderer {
        { problem in
            let error = JSONText.quoted(problem.message ?? problem.code)
            guard let path = problem.path else { return .json("{\"error\":\(error)}\n", status: problem.status) }
            let time = RFC3339.string(timeSource.now.wall, fraction: .seconds)
            let quoted = JSONText.quoted(path, limit: 512)
            return .json("{\"error\":\(error),\"path\":\(quoted),\"ts\":\"\(time)\"}", status: problem.status)
        }
    }
}
