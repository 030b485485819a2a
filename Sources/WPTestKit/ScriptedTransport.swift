// SPDX-License-Identifier: MIT

import Synchronization
public import WPClient
public import WPHTTP

/// A transport for `WinPowerClient` that opens no connection: it returns queued responses and records the requests.
public final class ScriptedTransport: WinPowerTransport {
    private struct State {
        var responses: [@Sendable (HTTPRequest) async throws -> HTTPResponse] = []
        var requests: [HTTPRequest] = []
    }

    private let state = Mutex(State())

    /// Creates a transport without responses.
    public init() {}

    /// The requests so far, in order.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Queues a response.
    /// - Parameters:
    ///   - body: its body.
    ///   - status: its status code.
    ///   - contentType: its `Content-Type`.
    public func respond(_ body: String, status: Int = 200, contentType: String = "application/json") {
        respond { _ in
            HTTPResponse(
                status: HTTPStatus(code: status),
                headers: ["Content-Type": contentType],
                body: .bytes(Array(body.utf8))
            )
        }
    }

    /// Queues a failure.
    public func fail(_ error: any Error & Sendable) {
        respond { _ in throw error }
    }

    /// Queues a function that creates the response; it may suspend.
    public func respond(_ make: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        state.withLock { $0.responses.append(make) }
    }

    /// Returns the next response.
    /// - Throws: the queued error; an `HTTPClientError` of code `connect` if nothing is queued.
    public func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        let next = state.withLock { state in
            state.requests.append(request)
            return state.responses.isEmpty ? nil : state.responses.removeFirst()
        }
        guard let next else { throw HTTPClientError(code: .connect, message: "no response is queued") }
        return try await next(request)
    }
}
