// SPDX-License-Identifier: MIT

package import Synchronization

/// A request method (RFC 9110, section 9). Case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method on the wire.
    public let rawValue: String

    /// Creates a method.
    /// - Parameter rawValue: the method on the wire, a token (RFC 9110, section 5.6.2).
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method on the wire.
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

    /// Whether the method is idempotent (RFC 9110, section 9.2.2).
    package var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}

/// A request that a server's handler receives or a client sends.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request target in origin form: a percent-encoded absolute path with an optional query.
    public var target: String
    /// The header fields.
    public var headers: HTTPFields
    /// The body that a client sends. Empty in a server, where handlers call ``readBody(upTo:)``.
    public var body: [UInt8]
    /// The server's context for the request; nil for a request that no server received.
    package var context: HTTPRequestContext?
    /// The source of an unread body; nil if ``body`` is complete.
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

    /// Reads the body, which the peer may still be sending. The body is read on demand, so that a rejected request
    /// needs no memory for it.
    ///
    /// Repeated calls return the same bytes. Sends `100 Continue` if the peer expects it. If the handler rethrows the
    /// error, the server answers with 413, 408 or 400.
    /// - Parameter limit: the maximum size in bytes; the server's limit, `HTTPLimits.maxBodyBytes`, applies as well.
    /// - Throws: ``HTTPWireError`` if the body exceeds a limit or is malformed, other errors if the connection is lost
    ///   or the peer is too slow.
    public func readBody(upTo limit: Int = .max) async throws -> [UInt8] {
        guard let bodySource else {
            guard body.count <= limit else { throw HTTPWireError.bodyTooLarge }
            return body
        }
        return try await bodySource.read(upTo: limit)
    }

    /// The name of the route that answers the request, for metrics and logs; nil if none was recorded.
    package var route: String? { context?.route.withLock { $0 } }

    /// Records the name of the route that answers the request, which must be a constant. WPServer reports it with the
    /// status and duration. The last call applies, which is that of the innermost router. Does nothing for a request
    /// that no server received.
    public func recordRoute(_ name: String) {
        context?.route.withLock { $0 = name }
    }

    /// The target without its query, still percent-encoded.
    public var path: Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The target's query, without the question mark, still percent-encoded; nil if there is none.
    public var query: Substring? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return target[target.utf8.index(after: mark)...]
    }
}

/// The state of the request that a connection is answering. Reused for all requests of a connection.
package final class HTTPRequestContext: Sendable {
    package let route = Mutex<String?>(nil)
    /// Identifies concurrent requests: requests with the same number, other than 0, had arrived, at least in part,
    /// before the server answered any of them. 0 if unknown.
    package let arrival = Atomic<UInt64>(0)

    package init() {}
}

/// Reads the body of a request from its connection.
package protocol HTTPRequestBodySource: AnyObject, Sendable {
    /// The whole body.
    func read(upTo limit: Int) async throws -> [UInt8]
}

extension HTTPRequest {
    /// ``HTTPRequestContext/arrival``; 0 for a request that no server received.
    package var arrival: UInt64 { context?.arrival.load(ordering: .relaxed) ?? 0 }
}

/// A response that a server's handler returns or a client receives.
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
        /// The whole body. Clients always receive this.
        case bytes([UInt8])
        /// The whole body in parts, which a server sends without joining them.
        case parts([[UInt8]])
        /// Streamed by a function, with chunked coding. If it throws, the server closes the connection, so that the
        /// client sees a truncated message.
        case stream(@Sendable (any HTTPBodyWriter) async throws -> Void)
    }

    /// The bytes of a complete body; empty for a stream.
    public var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .parts(let parts): Array(parts.joined())
        case .stream: []
        }
    }
}

/// The writer for the function of ``HTTPResponse/Body/stream(_:)``.
public protocol HTTPBodyWriter {
    /// Sends bytes, waiting while the peer is slower than the writer.
    /// - Throws: if the connection is lost or the write deadline has passed.
    func write(_ bytes: [UInt8]) async throws
}
