// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
public import WPHTTP

/// Carries one HTTP exchange to the WinPower server. The client knows paths and bodies; the transport knows host, port,
/// TLS, connections and their limits.
public protocol WinPowerTransport: Sendable {
    /// How many requests may be on their way at the same time without one having to wait for another. Default 1.
    var maxConcurrentRequests: Int { get }

    /// Sends a request and gives the whole response, whatever its status. It must not follow redirects: the request
    /// carries credentials.
    /// - Parameters:
    ///   - request: what to send. Host, Content-Length, Connection and Accept-Encoding are the transport's business.
    ///   - timeout: the longest that all of it may take, from connecting to the last byte of the body.
    /// - Returns: the response with its body complete and decompressed.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` promptly when the task is cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension WinPowerTransport {
    /// One request after the other.
    public var maxConcurrentRequests: Int { 1 }
}

/// The suite's own HTTP client carries the exchanges of a ``WinPowerClient``, one at a time.
extension HTTPClient: WinPowerTransport {}

/// Carries several exchanges at the same time, each over a connection of its own.
///
/// The connections after the first are made when they are needed, so that a server with one page of devices sees one.
public final class WinPowerConnections: WinPowerTransport {
    private struct State {
        /// The clients that serve no request, the last used at the end.
        var idle: [HTTPClient]
        var count = 1
    }

    /// The most connections at the same time.
    public let maxConcurrentRequests: Int

    private let configuration: HTTPClient.Configuration
    private let first: HTTPClient
    private let state: Mutex<State>

    /// Creates a transport. It connects when the first request is sent; files of authorities and identity are read now.
    /// - Parameters:
    ///   - configuration: where the server is, and how to reach it.
    ///   - limit: the most connections at the same time, at least 1.
    /// - Throws: what `HTTPClient`'s initializer throws.
    public init(_ configuration: HTTPClient.Configuration, limit: Int = 4) throws(HTTPClientError) {
        self.configuration = configuration
        maxConcurrentRequests = max(1, limit)
        first = try HTTPClient(configuration)
        state = Mutex(State(idle: [first]))
    }

    /// Sends a request over a connection that is free; when all are busy, it waits for the first one.
    public func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        let start = ContinuousClock.now
        guard let client = await borrow() else { return try await first.send(request, timeout: timeout) }
        defer { state.withLock { $0.idle.append(client) } }
        return try await client.send(request, timeout: timeout - start.duration(to: .now))
    }

    private func borrow() async -> HTTPClient? {
        let (idle, mayGrow) = state.withLock { state -> (HTTPClient?, Bool) in
            if let idle = state.idle.popLast() { return (idle, false) }
            guard state.count < maxConcurrentRequests else { return (nil, false) }
            state.count += 1
            return (nil, true)
        }
        guard mayGrow else { return idle }
        let configuration = configuration
        // A client reads the authorities' file, which may block.
        let made = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: try? HTTPClient(configuration)) }
        }
        if made == nil { state.withLock { $0.count -= 1 } }
        return made
    }
}
