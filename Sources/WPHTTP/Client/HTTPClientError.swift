// SPDX-License-Identifier: MIT

/// Why an HTTP request failed.
public struct HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The host name has no address, or its lookup failed.
        case resolve
        /// No address accepted a connection.
        case connect
        /// The TLS handshake failed for this reason.
        case tls(TLSFault)
        /// The deadline passed.
        case timeout
        /// The peer closed or reset the connection before the response was complete.
        case closed
        /// The response is not HTTP/1.1.
        case malformed
        /// The header section is larger than the limit.
        case headersTooLarge
        /// The body, as sent or after decompression, is larger than the limit.
        case bodyTooLarge
        /// The request is invalid, for example a bad URL or a header value with a line break.
        case invalidRequest
    }

    /// The reason for a TLS failure.
    public enum TLSFault: Sendable, Hashable {
        /// The certificate, or one in its chain, has expired or is not yet valid.
        case expired
        /// The certificate chain ends at an untrusted authority, or the certificate is self-signed.
        case unknownAuthority
        /// The certificate is for another name or address.
        case wrongName
        /// The peer does not speak TLS, or supports no common version or cipher.
        case protocolMismatch
        /// Anything else, such as a revoked certificate or an unreadable authority file.
        case other
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, on which host and port, why, and what to do. Never contains a header or a body.
    public var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
