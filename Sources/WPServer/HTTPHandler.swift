// SPDX-License-Identifier: MIT

public import WPHTTP

/// Answers requests: the one thing that a user of the server has to write.
public protocol HTTPHandler: Sendable {
    /// Answers one request.
    ///
    /// It runs on the server's loop thread until its first suspension, so it must not block. It is cancelled a
    /// second after the peer has ended its side of the connection, at once when the connection is lost, and when the
    /// server stops waiting for it.
    /// The request's body has not been read yet; a handler that takes one calls ``WPHTTP/HTTPRequest/readBody(upTo:)``.
    /// When a handler leaves a body unread, the connection is closed after the response, unless all of the body has
    /// arrived.
    /// - Throws: anything; the server answers 500 without details and logs the error.
    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A handler made from a function.
public struct ClosureHTTPHandler: HTTPHandler {
    private let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a handler.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.answer = answer
    }

    /// Answers by the function.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await answer(request)
    }
}

extension HTTPResponse {
    /// A response of plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// A response of JSON.
    /// - Parameter text: a JSON text.
    public static func json(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }
}
