// SPDX-License-Identifier: MIT

/// The protocol of one connection. Called only on the server's thread, one call at a time.
package protocol LineSession: AnyObject, Sendable {
    /// Whether the connection may be closed in favour of a new one.
    var isExpendable: Bool { get }

    /// Answers a line.
    /// - Parameters:
    ///   - line: the line without its line feed.
    ///   - isEncrypted: whether it was received over TLS.
    nonisolated(nonsending) func answer(_ line: [UInt8], isEncrypted: Bool) async -> LineAnswer

    /// Called when the connection has ended.
    func end()
}

/// The answer to a line.
package struct LineAnswer: Sendable {
    /// The action after the bytes are sent.
    package enum Next: Sendable {
        case read
        case close
        /// Start a TLS handshake.
        case startTLS(any TLSContextSource)
    }

    /// The bytes, including line feeds.
    package var bytes: [UInt8]
    /// The next action.
    package var next: Next

    package init(_ bytes: [UInt8], next: Next = .read) {
        self.bytes = bytes
        self.next = next
    }
}
