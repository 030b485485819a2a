// SPDX-License-Identifier: MIT

public import WPHTTP

/// A request that was not answered by a handler of the program, and why: what a router, an access control or the server
/// itself makes a response of.
public struct HTTPProblem: Sendable, Hashable {
    /// Makes the response to a problem. Fields that the status demands, such as Allow, are added to it afterwards. It is
    /// called on the server's thread and must not block.
    public typealias Renderer = @Sendable (HTTPProblem) -> HTTPResponse

    /// The status to answer.
    public var status: HTTPStatus
    /// One word for programs: `not_found`, `method_not_allowed`, `unauthorized`, `busy`, `too_many_connections`,
    /// `internal_error`, or `bad_request` for what is not acceptable HTTP.
    public var code: String
    /// A sentence for people, which never quotes the request; nil where the status says all.
    public var message: String?
    /// The request's path as it was sent, percent-encoded; nil for what has none.
    public var path: Substring?

    init(_ status: HTTPStatus, _ code: String, message: String? = nil, path: Substring? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.path = path
    }

    /// The plain response: the message, or the status and its reason, as a line of text.
    public static let plainText: Renderer = { problem in
        .text("\(problem.message ?? problem.status.description)\n", status: problem.status)
    }
}
