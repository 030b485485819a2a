// SPDX-License-Identifier: MIT

public import WPHTTP

/// Answers requests. The one thing that a user of the server has to write.
public protocol HTTPHandler: Sendable {
    /// Answers one request.
    ///
    /// It runs on the server's loop thread until its first suspension, so it must not block. It is cancelled a
    /// second after the peer has ended its side of the connection, at once when the connection is lost, and when the
    /// server stops waiting for it.
    /// - Throws: anything; the server answers 500 without details and logs the error.
    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse

    /// A name of who answers a request, for metrics: one of few, never made from the request. `other` unless a handler
    /// says something else. The same for the same request, so that a server need not ask each time.
    func label(for request: HTTPRequest) -> String
}

extension HTTPHandler {
    /// `other`.
    public func label(for request: HTTPRequest) -> String { "other" }
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
