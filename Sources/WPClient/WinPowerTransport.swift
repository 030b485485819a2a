// SPDX-License-Identifier: MIT

import Synchronization
public import WPHTTP

/// The HTTP transport to the WinPower server. The client controls paths and bodies; the transport controls host, port,
/// TLS and connections.
public protocol WinPowerTransport: Sendable {
    /// The maximum number of concurrent requests. Default 1.
    var maxConcurrentRequests: Int { get }

    /// Sends a request and returns the whole response, whatever its status. Must not follow redirects, because the
    /// request contains credentials.
    /// - Parameters:
    ///   - request: the request. The transport sets Host, Content-Length, Connection and Accept-Encoding.
    ///   - timeout: the time limit from connecting to the last byte of the body.
    /// - Returns: the response with its body complete and decompressed.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` promptly when the task is cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension WinPowerTransport {
    /// One request at a time.
    public var maxConcurrentRequests: Int { 1 }
}

/// The HTTP client as the transport of a ``WinPowerClient``, with one request at a time.
extension HTTPClient: WinPowerTransport {}

/// A transport with concurrent requests, each over its own connection.
///
/// Opens further connections on demand, so that a server with one page of devices sees only one.
public final class WinPowerConnections: WinPowerTransport {
    private struct State {
        /// The idle clients, most recently used last.
        var idle: [HTTPClient]
        var count = 1
    }

    /// The maximum number of connections.
    public let maxConcurrentRequests: Int

    private let first: HTTPClient
    private let state: Mutex<State>

    /// Creates a transport. It connects at the first request, but reads certificate files now.
    /// - Parameters:
    ///   - configuration: the HTTP client's configuration.
    ///   - limit: the maximum number of connections, at least 1.
    /// - Throws: the error of `HTTPClient`'s initializer.
    public init(_ configuration: HTTPClient.Configuration, limit: Int = 4) throws(HTTPClientError) {
        maxConcurrentRequests = max(1, limit)
        first = try HTTPClient(configuration)
        state = Mutex(State(idle: [first]))
    }

    /// Sends a request over a free connection; waits if all are busy.
    public func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        guard let client = borrow() else { return try await first.send(request, timeout: timeout) }
        defer { state.withLock { $0.idle.append(client) } }
        return try await client.send(request, timeout: timeout)
    }

    /// A client for one request; nil if the first one has to queue it.
    private func borrow() -> HTTPClient? {
        state.withLock { state in
            if let idle = state.idle.popLast() { return idle }
            // lint: the process may have no descriptors left; the first connection is used then
            guard state.count < maxConcurrentRequests, let client = try? HTTPClient(like: first) else { return nil }
            state.count += 1
            return client
        }
    }
}
