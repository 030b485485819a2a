// SPDX-License-Identifier: MIT

public import WPHTTP

/// Answers the requests of a server.
public protocol HTTPHandler: Sendable {
    /// Answers one request.
    ///
    /// Runs on the server's loop thread until its first suspension, so it must not block. It is cancelled one second
    /// after the peer closes its sending side, immediately when the connection is lost, and at the end of the server's
    /// grace period. Call ``WPHTTP/HTTPRequest/readBody(upTo:)`` to read the body. If it is left unread, the connection
    /// is closed after the response, unless the whole body has arrived.
    /// - Throws: anything; the server responds with 500, without details, and logs the error.
    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A handler that calls a function.
public struct ClosureHTTPHandler: HTTPHandler {
    private let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a handler.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.answer = answer
    }

    /// Calls the function.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await answer(request)
    }
}

extension HTTPResponse {
    /// A plain-text response in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// A JSON response.
    /// - Parameter text: a JSON text.
    public static func json(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }
}
