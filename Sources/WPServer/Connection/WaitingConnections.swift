// SPDX-License-Identifier: MIT

/// The connections that wait for their peers to send a request, or the rest of one; the one that has waited longest
/// comes first. An intrusive linked list, so that every operation takes constant time.
///
/// It belongs to one thread.
struct WaitingConnections {
    /// A connection's position in the list.
    struct Node {
        fileprivate var older: HTTPConnection?
        fileprivate var newer: HTTPConnection?
        fileprivate(set) var since: Duration?
    }

    private(set) var oldest: HTTPConnection?
    private var newest: HTTPConnection?

    /// Adds a waiting connection.
    mutating func add(_ connection: HTTPConnection, now: Duration) {
        remove(connection)
        connection.waiting = Node(older: newest, newer: nil, since: now)
        newest?.waiting.newer = connection
        newest = connection
        if oldest == nil { oldest = connection }
    }

    /// Removes a connection, if it is in the list.
    mutating func remove(_ connection: HTTPConnection) {
        guard connection.waiting.since != nil else { return }
        let node = connection.waiting
        connection.waiting = Node()
        if let older = node.older { older.waiting.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { newer.waiting.older = node.older } else { newest = node.older }
    }
}
