// SPDX-License-Identifier: MIT

/// Why an HTTP client got no response.
public struct HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The host's name has no address, or name look-up failed.
        case resolve
        /// No address took a connection: refused, unreachable, no route.
        case connect
        /// The TLS handshake failed for this reason.
        case tls(TLSFault)
        /// The deadline passed.
        case timeout
        /// The peer closed or reset the connection before the response was whole.
        case closed
        /// What came is not HTTP/1.1.
        case malformed
        /// The header section is larger than the limit.
        case headersTooLarge
        /// The body, as sent or after decompression, is larger than the limit.
        case bodyTooLarge
        /// The request itself can't be sent: a bad URL, a header value with a line break.
        case invalidRequest
    }

    /// What was wrong with TLS.
    public enum TLSFault: Sendable, Hashable {
        /// The certificate, or one above it, has expired or is not yet valid.
        case expired
        /// The certificate's chain ends at an authority that is not trusted, self-signed ones included.
        case unknownAuthority
        /// The certificate is for another name or address.
        case wrongName
        /// The peer does not speak TLS, or no version or cipher in common.
        case protocolMismatch
        /// Anything else, such as a revoked certificate or an unreadable authority file.
        case other
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence: what was tried, on which host and port, how it failed, and what to do. Never holds a header or
    /// a body.
    public var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
