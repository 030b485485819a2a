// SPDX-License-Identifier: MIT

import Synchronization

/// What a server has done since it was made, for a debug page.
public struct ServerStatistics: Sendable, Hashable {
    /// Connections that are open now.
    public var openConnections = 0
    /// Connections accepted and served.
    public var acceptedConnections = 0
    /// Connections answered 503 because there were too many.
    public var refusedConnections = 0
    /// Connections ended because there were too many and they had waited longest for a request.
    public var displacedConnections = 0
    /// Connections whose TLS handshake failed.
    public var failedHandshakes = 0
    /// Requests handed to the handler.
    public var requests = 0
    /// Requests that were not acceptable HTTP, or too large.
    public var malformedRequests = 0
    /// Connections cut because the peer was too slow in the middle of a request or a response.
    public var timeouts = 0
    /// Requests whose handler threw.
    public var handlerFailures = 0

    /// When the certificate that new connections are shown ends, in seconds since 1970; nil without TLS.
    public var certificateEnd: Int64?

    /// Creates a snapshot in which nothing has happened.
    package init() {}
}

/// How promptly a server's thread gets to its work.
package struct LoopLag: Sendable, Hashable {
    /// From handing the thread a task to its beginning with it, just now.
    package var now: Duration
    /// The longest that one round of work has taken since the server began to serve, which is how long a socket that was
    /// ready may have waited.
    package var longest: Duration
}

/// The counters behind the snapshot. Any thread reads them while the loop's thread counts.
final class ServerCounters: Sendable {
    let openConnections = Atomic(0)
    let acceptedConnections = Atomic(0)
    let refusedConnections = Atomic(0)
    let displacedConnections = Atomic(0)
    let failedHandshakes = Atomic(0)
    let requests = Atomic(0)
    let malformedRequests = Atomic(0)
    let timeouts = Atomic(0)
    let handlerFailures = Atomic(0)

    var snapshot: ServerStatistics {
        var snapshot = ServerStatistics()
        snapshot.openConnections = openConnections.load(ordering: .relaxed)
        snapshot.acceptedConnections = acceptedConnections.load(ordering: .relaxed)
        snapshot.refusedConnections = refusedConnections.load(ordering: .relaxed)
        snapshot.displacedConnections = displacedConnections.load(ordering: .relaxed)
        snapshot.failedHandshakes = failedHandshakes.load(ordering: .relaxed)
        snapshot.requests = requests.load(ordering: .relaxed)
        snapshot.malformedRequests = malformedRequests.load(ordering: .relaxed)
        snapshot.timeouts = timeouts.load(ordering: .relaxed)
        snapshot.handlerFailures = handlerFailures.load(ordering: .relaxed)
        return snapshot
    }
}

extension Atomic where Value == Int {
    func add(_ change: Int = 1) {
        wrappingAdd(change, ordering: .relaxed)
    }
}
