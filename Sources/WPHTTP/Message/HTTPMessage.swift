// SPDX-License-Identifier: MIT

/// A request method (RFC 9110, section 9). Case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it stands on the wire.
    public let rawValue: String

    /// Creates a method.
    /// - Parameter rawValue: the method as it stands on the wire, a token of RFC 9110, section 5.6.2.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method as it stands on the wire.
    public var description: String { rawValue }

    /// GET.
    public static let get = HTTPMethod(rawValue: "GET")
    /// HEAD: GET without the body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// POST.
    public static let post = HTTPMethod(rawValue: "POST")
    /// PUT.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// DELETE.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// OPTIONS.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// CONNECT.
    public static let connect = HTTPMethod(rawValue: "CONNECT")

    /// Whether repeating a request has the effect of sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}

/// A request, as a server's handler gets it and a client sends it.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request target in origin form: an absolute path, percent-encoded, with its query if any.
    public var target: String
    /// The header fields.
    public var headers: HTTPFields
    /// The whole body; empty when there is none.
    public var body: [UInt8]
    /// Which requests were in flight together: those with the same number, other than 0, had been sent, at least in part,
    /// before the server began to answer any of them. So what holds for one at that moment holds for all. 0 when the
    /// server can't tell, and on the side of a client.
    public var arrival: UInt64 = 0

    /// Creates a request.
    public init(
        method: HTTPMethod = .get,
        target: String,
        headers: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target without its query, still percent-encoded.
    public var path: Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The target's query, without the question mark, still percent-encoded; nil when there is none.
    public var query: Substring? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return target[target.utf8.index(after: mark)...]
    }
}

/// A response, as a server's handler makes it and a client gets it.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields. A server adds Date, Content-Length or Transfer-Encoding, and Connection by itself.
    public var headers: HTTPFields
    /// The body.
    public var body: Body

    /// Creates a response.
    public init(status: HTTPStatus = .ok, headers: HTTPFields = HTTPFields(), body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body of a response.
    public enum Body: Sendable {
        /// All of it at once. What a client gets is always this.
        case bytes([UInt8])
        /// All of it at once, in parts that a server sends one after the other without joining them first.
        case parts([[UInt8]])
        /// Written bit by bit, with chunked coding, by a function that a server calls. When the function throws, the
        /// connection is closed before the body's end, so that the client sees a truncated message.
        case stream(@Sendable (any HTTPBodyWriter) async throws -> Void)
    }

    /// The bytes of a body that is there at once; empty for a stream.
    public var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .parts(let parts): Array(parts.joined())
        case .stream: []
        }
    }
}

/// Where the function of ``HTTPResponse/Body/stream(_:)`` writes to.
public protocol HTTPBodyWriter {
    /// Sends some bytes, waiting while the peer is slower than the writer.
    /// - Throws: when the connection is gone or the write deadline has passed.
    func write(_ bytes: [UInt8]) async throws
}
