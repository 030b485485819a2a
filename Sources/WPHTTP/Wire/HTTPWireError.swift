// SPDX-License-Identifier: MIT

/// Why bytes are not a valid HTTP/1.1 message, or a message cannot be encoded.
///
/// After such an error the start of the next message is unknown, so the connection must be closed.
public struct HTTPWireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// A line that does not end in CR LF, or a CR or LF inside one (RFC 9112, section 2.2).
        case lineEnding
        /// An invalid control character.
        case controlCharacter
        /// A request or status line that does not consist of three parts separated by single spaces (RFC 9112, sections
        /// 3 and 4).
        case startLine
        /// A method that is not implemented: CONNECT, or longer than any known one.
        case method
        /// A request target that is not valid for the method (RFC 9112, section 3.2).
        case target
        /// No Host, more than one, or one that is not a host with an optional port (RFC 9112, section 3.2).
        case host
        /// A version other than HTTP/1.x.
        case version
        /// A field line without a colon, with a name that is not a token, with a space before the colon, or folded
        /// (RFC 9112, section 5).
        case field
        /// The start line is longer than the limit.
        case startLineTooLong
        /// The number or the size of the fields exceeds the limit.
        case headersTooLarge
        /// A body length that is invalid or ambiguous (RFC 9112, section 6.3).
        case bodyLength
        /// A transfer coding other than chunked.
        case transferCoding
        /// Chunked coding that breaks its grammar (RFC 9112, section 7.1).
        case chunk
        /// The body is larger than the limit.
        case bodyTooLarge
        /// An expectation other than 100-continue (RFC 9110, section 10.1.1).
        case expectation
    }

    /// The kind of fault.
    public var code: Code
    /// The status with which a server should respond; 502 for an invalid response, 500 if a message could not be
    /// encoded.
    package var status: HTTPStatus
    /// A constant message that never quotes the input.
    public var message: String

    /// Creates an error.
    package init(_ code: Code, status: HTTPStatus = .badRequest, _ message: String) {
        self.code = code
        self.status = status
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// A body that is larger than its limit.
    package static let bodyTooLarge = HTTPWireError(
        .bodyTooLarge,
        status: .contentTooLarge,
        "The body is larger than the limit."
    )
}
