// SPDX-License-Identifier: MIT

package import WPHTTP

/// A handler that is mounted under a path prefix and sees the path without it.
package struct HTTPSubtree: HTTPHandler {
    private let prefix: String
    private let handler: any HTTPHandler

    /// - Parameter prefix: begins but does not end with a slash, such as `/ups`; empty to leave paths unchanged.
    package init(prefix: String, handler: any HTTPHandler) {
        precondition(
            prefix.isEmpty || prefix.hasPrefix("/") && !prefix.hasSuffix("/"),
            "a prefix such as /ups: \(prefix)"
        )
        (self.prefix, self.handler) = (prefix, handler)
    }

    package nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        request.target = String(request.target.dropFirst(prefix.count))
        return try await handler.respond(to: request)
    }
}
