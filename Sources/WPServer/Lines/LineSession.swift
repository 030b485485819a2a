// SPDX-License-Identifier: MIT

/// What a protocol of lines does with one connection. Called on the server's thread alone, one call at a time.
package protocol LineSession: AnyObject, Sendable {
    /// Whether the connection may be closed for a new one when there are too many.
    var isExpendable: Bool { get }

    /// Answers a line.
    /// - Parameters:
    ///   - line: without its line feed.
    ///   - isEncrypted: whether it came through TLS.
    nonisolated(nonsending) func answer(_ line: [UInt8], isEncrypted: Bool) async -> LineAnswer

    /// The connection has ended.
    func end()
}

/// The answer to a line.
package struct LineAnswer: Sendable {
    /// What follows once the bytes are sent.
    package enum Next: Sendable {
        case read
        case close
        /// A TLS handshake.
        case startTLS(any TLSContextSource)
    }

    /// The bytes, with all line feeds.
    package var bytes: [UInt8]
    /// What follows.
    package var next: Next

    package init(_ bytes: [UInt8], next: Next = .read) {
        self.bytes = bytes
        self.next = next
    }
}
