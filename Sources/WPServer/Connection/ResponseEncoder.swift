// SPDX-License-Identifier: MIT

import WPHTTP

/// An encoded response.
struct EncodedResponse {
    enum Body {
        /// The whole body, possibly in several parts.
        case parts([[UInt8]])
        /// Written by a function, in chunks or until the connection is closed.
        case stream(@Sendable (any HTTPBodyWriter) async throws -> Void, isChunked: Bool)
    }

    var head: [UInt8]
    var body: Body
    /// Whether another request may follow on the connection.
    var keepsConnection: Bool
}

/// Decides the framing of a response, overriding the handler's fields (RFC 9112, section 6).
enum ResponseEncoder {
    /// - Parameters:
    ///   - request: the request.
    ///   - keepsConnection: whether the server allows keeping the connection.
    ///   - date: the value of Date.
    /// - Throws: if the handler's status or fields are invalid.
    static func encode(
        _ response: HTTPResponse,
        to request: HTTPRequestHead,
        keepsConnection: Bool,
        date: String
    ) throws(HTTPWireError) -> EncodedResponse {
        guard response.status.code >= 200 else {
            throw HTTPWireError(
                .startLine,
                status: .internalServerError,
                "The handler returned an interim (1xx) status."
            )
        }
        var head: [UInt8] = []
        head.reserveCapacity(320)
        // The server's own version, regardless of the request's (RFC 9110, section 6.2; RFC 9112, section 2.3).
        try HTTPHeadWriter.writeStatusLine(response.status, to: &head)
        let fields = try writeFields(of: response.headers, to: &head)
        if !fields.hasDate { try HTTPHeadWriter.writeField(name: "Date", value: date, to: &head) }

        var keeps = keepsConnection && !fields.asksToClose
        var body = EncodedResponse.Body.parts([])
        let isHead = request.method == .head
        switch response.body {
        case _ where !response.status.allowsBody: break
        case .bytes(let bytes):
            try writeLength(bytes.count, isHead: isHead, given: fields.length, to: &head)
            if !isHead { body = .parts([bytes]) }
        case .parts(let parts):
            try writeLength(parts.reduce(0) { $0 + $1.count }, isHead: isHead, given: fields.length, to: &head)
            if !isHead { body = .parts(parts) }
        case .stream(let write):
            if request.minorVersion > 0 {
                try HTTPHeadWriter.writeField(name: "Transfer-Encoding", value: "chunked", to: &head)
                if !isHead { body = .stream(write, isChunked: true) }
            } else if !isHead {
                keeps = false
                body = .stream(write, isChunked: false)
            }
        }
        if !keeps {
            try HTTPHeadWriter.writeField(name: "Connection", value: "close", to: &head)
        } else if request.minorVersion == 0 {
            try HTTPHeadWriter.writeField(name: "Connection", value: "keep-alive", to: &head)
        }
        HTTPHeadWriter.writeLineEnd(to: &head)
        return EncodedResponse(head: head, body: body, keepsConnection: keeps)
    }

    /// The handler's fields that the server controls.
    private struct Given {
        var hasDate = false
        var asksToClose = false
        var length: String?
    }

    /// Writes a handler's fields, except those that the server sets.
    private static func writeFields(of headers: HTTPFields, to head: inout [UInt8]) throws(HTTPWireError) -> Given {
        var given = Given()
        for field in headers.all {
            switch field.name.lowercased() {
            case "connection":
                given.asksToClose = given.asksToClose || headers.contains("close", in: "Connection")
                continue
            case "keep-alive", "transfer-encoding": continue
            case "content-length":
                given.length = given.length ?? field.value
                continue
            case "date": given.hasDate = true
            default: break
            }
            try HTTPHeadWriter.writeField(name: field.name, value: field.value, to: &head)
        }
        return given
    }

    /// Writes Content-Length. A handler may give the length of the body that is omitted for HEAD.
    private static func writeLength(
        _ count: Int,
        isHead: Bool,
        given: String?,
        to head: inout [UInt8]
    ) throws(HTTPWireError) {
        let known = isHead && count == 0 ? given.flatMap { isLength($0) ? $0 : nil } : nil
        try HTTPHeadWriter.writeField(name: "Content-Length", value: known ?? String(count), to: &head)
    }

    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
