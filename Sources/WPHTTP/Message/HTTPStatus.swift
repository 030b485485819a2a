// SPDX-License-Identifier: MIT

/// A response status (RFC 9110, section 15).
public struct HTTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// The three-digit code, 100 to 999.
    public let code: Int
    /// The reason phrase.
    public let reason: String

    /// Creates a status.
    /// - Parameters:
    ///   - code: 100 to 999.
    ///   - reason: the phrase; nil for the standard phrase, or an empty one if the code has none.
    public init(code: Int, reason: String? = nil) {
        self.code = code
        self.reason = reason ?? Self.standardReasons[code] ?? ""
    }

    /// Two statuses are equal when their codes are.
    public static func == (lhs: HTTPStatus, rhs: HTTPStatus) -> Bool { lhs.code == rhs.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// `404 Not Found`.
    public var description: String { reason.isEmpty ? String(code) : "\(code) \(reason)" }

    /// Whether the code is 200 to 299.
    public var isSuccess: Bool { (200...299).contains(code) }

    private static let standardReasons: [Int: String] = [
        100: "Continue", 101: "Switching Protocols",
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 411: "Length Required",
        413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}

extension HTTPStatus {
    /// 200.
    public static let ok = HTTPStatus(code: 200)
    /// 204.
    package static let noContent = HTTPStatus(code: 204)
    /// 400.
    public static let badRequest = HTTPStatus(code: 400)
    /// 401.
    public static let unauthorized = HTTPStatus(code: 401)
    /// 403.
    package static let forbidden = HTTPStatus(code: 403)
    /// 404.
    public static let notFound = HTTPStatus(code: 404)
    /// 405.
    package static let methodNotAllowed = HTTPStatus(code: 405)
    /// 408.
    package static let requestTimeout = HTTPStatus(code: 408)
    /// 413.
    package static let contentTooLarge = HTTPStatus(code: 413)
    /// 414.
    package static let uriTooLong = HTTPStatus(code: 414)
    /// 417.
    package static let expectationFailed = HTTPStatus(code: 417)
    /// 431.
    package static let headerFieldsTooLarge = HTTPStatus(code: 431)
    /// 500.
    public static let internalServerError = HTTPStatus(code: 500)
    /// 501.
    package static let notImplemented = HTTPStatus(code: 501)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(code: 503)
    /// 505.
    package static let versionNotSupported = HTTPStatus(code: 505)
}

extension HTTPStatus {
    /// 100.
    package static let `continue` = HTTPStatus(code: 100)
    /// 502.
    package static let badGateway = HTTPStatus(code: 502)

    /// Whether a response of this status may have a body: not 1xx, 204 or 304 (RFC 9110, section 6.4.1).
    package var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}
