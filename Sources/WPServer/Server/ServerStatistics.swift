// SPDX-License-Identifier: MIT

/// The statistics of a server since its creation, for a debug page.
public struct ServerStatistics: Sendable, Hashable {
    /// Open connections.
    public var openConnections = 0
    /// Connections accepted and served.
    public var acceptedConnections = 0
    /// Connections rejected because there were too many, or because the system could not watch them.
    public var refusedConnections = 0
    /// Connections evicted in favour of new ones.
    public var displacedConnections = 0
    /// Connections whose TLS handshake failed.
    public var failedHandshakes = 0
    /// Requests handed to the handler.
    public var requests = 0
    /// Requests that were invalid or too large.
    public var malformedRequests = 0
    /// Connections closed because the peer was too slow during a request or response.
    public var timeouts = 0
    /// Requests whose handler threw an error or returned an invalid response.
    public var handlerFailures = 0

    /// The expiry of the certificate for new connections in seconds since 1970; nil without TLS.
    public var certificateEnd: Int64?

    /// Creates an empty snapshot.
    package init() {}
}

/// The latency of a server's thread.
package struct LoopLag: Sendable, Hashable {
    /// The current delay between enqueueing a function and running it.
    package var now: Duration
    /// The longest round of work since the server started, which bounds the delay of a ready socket.
    package var longest: Duration
}
