// SPDX-License-Identifier: MIT

import WPHTTP

/// An encoded response.
struct EncodedResponse {
    enum Body {
        /// The whole body, possibly in several parts.
        case parts([[UInt8]])
        /// In chunks.
        case chunked(@Sendable (any HTTPBodyWriter) async throws -> Void)
        /// Until the connection is closed.
        case untilClose(@Sendable (any HTTPBodyWriter) async throws -> Void)
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
                if !isHead { body = .chunked(write) }
            } else if !isHead {
                keeps = false
                body = .untilClose(write)
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

    /// Writes a handler's fields, except those of the server.
    private static func writeFields(of headers: HTTPFields, to head: inout [UInt8]) throws(HTTPWireError) -> Given {
        var given = Given()
        for field in headers.all {
            // Compares lengths first, because this runs for every field of every response.
            switch field.name.utf8.count {
            case 10 where isSame(field.name, "Connection"):
                given.asksToClose = given.asksToClose || headers.contains("close", in: "Connection")
                continue
            case 10 where isSame(field.name, "Keep-Alive"), 17 where isSame(field.name, "Transfer-Encoding"): continue
            case 14 where isSame(field.name, "Content-Length"):
                given.length = given.length ?? field.value
                continue
            case 4 where isSame(field.name, "Date"): given.hasDate = true
            default: break
            }
            try HTTPHeadWriter.writeField(name: field.name, value: field.value, to: &head)
        }
        return given
    }

    private static func isSame(_ name: String, _ other: StaticString) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return other.withUTF8Buffer { other in zip(name.utf8, other).allSatisfy { lower($0) == lower($1) } }
    }

    /// Writes Content-Length. The handler of a HEAD may know the length of the omitted body.
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
