// SPDX-License-Identifier: MIT

import Synchronization

/// The statistics of a server since its creation, for a debug page.
public struct ServerStatistics: Sendable, Hashable {
    /// Open connections.
    public var openConnections = 0
    /// Connections accepted and served.
    public var acceptedConnections = 0
    /// Connections answered 503 because there were too many.
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
    /// Requests whose handler threw.
    public var handlerFailures = 0

    /// The expiry of the certificate for new connections in seconds since 1970; nil without TLS.
    public var certificateEnd: Int64?

    /// Creates an empty snapshot.
    package init() {}
}

/// The latency of a server's thread.
package struct LoopLag: Sendable, Hashable {
    /// The current time from enqueueing a task to its start.
    package var now: Duration
    /// The longest round of work since the server started, which bounds the delay of a ready socket.
    package var longest: Duration
}

/// The counters behind the snapshot. Updated by the loop's thread, read by any thread.
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
