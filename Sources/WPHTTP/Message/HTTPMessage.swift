// SPDX-License-Identifier: MIT

package import Synchronization

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
    package static let delete = HTTPMethod(rawValue: "DELETE")
    /// OPTIONS.
    package static let options = HTTPMethod(rawValue: "OPTIONS")
    /// CONNECT.
    package static let connect = HTTPMethod(rawValue: "CONNECT")

    /// Whether repeating a request has the effect of sending it once (RFC 9110, section 9.2.2).
    package var isIdempotent: Bool {
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
    /// The body that a client sends. On the side of a server it is empty: a handler that takes a body asks for it with
    /// ``readBody(upTo:)``.
    public var body: [UInt8]
    /// What the server that received the request knows about it; nil for a request that no server received.
    package var context: HTTPRequestContext?
    /// Where the body comes from when it has not been read yet; nil when ``body`` is all of it.
    package var bodySource: (any HTTPRequestBodySource)?

    /// Creates a request.
    public init(
        method: HTTPMethod = .get,
        target: String,
        headers: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Reads the body, which the peer of a server may still be sending. Until a handler asks for it, nothing of it is
    /// read: a request that is refused by its path or its credentials costs no memory, however large its body is.
    ///
    /// It may be called again and gives the same bytes. When the peer expects `100-continue`, it is told to continue
    /// now. A handler that lets the error through has the server answer for it: 413, 408 or 400.
    /// - Parameter limit: the most bytes; the server's own limit, `HTTPLimits.maxBodyBytes`, applies as well.
    /// - Throws: ``HTTPWireError`` when the body is larger than a limit or malformed, and other errors when the
    ///   connection is lost or the peer is too slow.
    public func readBody(upTo limit: Int = .max) async throws -> [UInt8] {
        guard let bodySource else {
            guard body.count <= limit else { throw HTTPWireError.bodyTooLarge }
            return body
        }
        return try await bodySource.read(upTo: limit)
    }

    /// The name of the route that answers the request, for metrics and logs; nil when none was recorded.
    package var route: String? { context?.route.withLock { $0 } }

    /// Records the name of the route that answers the request: one of few, never made from the request. WPServer
    /// reports it with the request's status and duration. The last call counts, so the innermost of nested routers
    /// decides. Without effect for a request that no server received.
    public func recordRoute(_ name: String) {
        context?.route.withLock { $0 = name }
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

/// What a server keeps about the request that a connection is answering. One for each connection, used for one request
/// after the other.
package final class HTTPRequestContext: Sendable {
    package let route = Mutex<String?>(nil)
    /// Which requests were in flight together: those with the same number, other than 0, had been sent, at least in
    /// part, before the server began to answer any of them. So what holds for one at that moment holds for all. 0 when
    /// the server can't say.
    package let arrival = Atomic<UInt64>(0)

    package init() {}
}

/// Reads the body of a request from its connection.
package protocol HTTPRequestBodySource: AnyObject, Sendable {
    /// All of the body.
    func read(upTo limit: Int) async throws -> [UInt8]
}

extension HTTPRequest {
    /// ``HTTPRequestContext/arrival``; 0 for a request that no server received.
    package var arrival: UInt64 { context?.arrival.load(ordering: .relaxed) ?? 0 }
}

/// A response, as a server's handler makes it and a client gets it.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields. A server adds Date, Content-Length or Transfer-Encoding, and Connection.
    public var headers: HTTPFields
    /// The body.
    public var body: Body

    /// Creates a response.
    public init(status: HTTPStatus = .ok, headers: HTTPFields = [:], body: Body = .bytes([])) {
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
