// SPDX-License-Identifier: MIT

public import WPHTTP

/// The reason why the library itself answers a request instead of a handler. Routers, access controls and the server
/// create their responses from it.
public struct HTTPProblem: Sendable, Hashable {
    /// Creates the response to a problem. The caller adds fields required by the status, such as Allow. Called on the
    /// server's thread; must not block.
    public typealias Renderer = @Sendable (HTTPProblem) -> HTTPResponse

    /// The status of the response.
    public var status: HTTPStatus
    /// A machine-readable word: `not_found`, `method_not_allowed`, `unauthorized`, `busy`, `too_many_connections`,
    /// `internal_error`, or `bad_request` for invalid HTTP.
    public var code: String
    /// A sentence for users that never quotes the request; nil if the status suffices.
    public var message: String?
    /// The request's path as sent, percent-encoded; nil for an invalid request.
    public var path: Substring?

    init(_ status: HTTPStatus, _ code: String, message: String? = nil, path: Substring? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.path = path
    }

    /// The plain-text response: one line with the message, or the status and its reason phrase.
    public static let plainText: Renderer = { problem in
        .text("\(problem.message ?? problem.status.description)\n", status: problem.status)
    }
}
