// SPDX-License-Identifier: MIT

import WPHTTP

/// A response as it goes to the wire.
struct EncodedResponse {
    enum Body {
        case bytes([UInt8])
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

/// Decides how a handler's response is framed, whatever the handler says about that (RFC 9112, section 6).
enum ResponseEncoder {
    /// - Parameters:
    ///   - request: what is answered.
    ///   - keepsConnection: whether the server would go on with the connection.
    ///   - date: the value of Date.
    /// - Throws: when the handler's status, or a field of its, can't stand on the wire.
    static func encode(
        _ response: HTTPResponse,
        to request: HTTPRequestHead,
        keepsConnection: Bool,
        date: String
    ) throws(HTTPWireError) -> EncodedResponse {
        guard response.status.code >= 200 else {
            throw HTTPWireError(.startLine, status: .internalServerError, "The handler's status is not a final one.")
        }
        var headers = response.headers
        var keeps = keepsConnection && !headers.contains("close", in: "Connection")
        let givenLength = headers["Content-Length"]
        headers["Connection"] = nil
        headers["Keep-Alive"] = nil
        headers["Transfer-Encoding"] = nil
        headers["Content-Length"] = nil
        if headers["Date"] == nil { headers.append(name: "Date", value: date) }

        var body = EncodedResponse.Body.bytes([])
        let isHead = request.method == .head
        switch response.body {
        case _ where !response.status.allowsBody: break
        case .bytes(let bytes):
            // The handler of a HEAD may know the length of a body that it did not make.
            let known = isHead && bytes.isEmpty ? givenLength.flatMap { isLength($0) ? $0 : nil } : nil
            headers.append(name: "Content-Length", value: known ?? String(bytes.count))
            if !isHead { body = .bytes(bytes) }
        case .stream(let write):
            if request.minorVersion > 0 {
                headers.append(name: "Transfer-Encoding", value: "chunked")
                if !isHead { body = .chunked(write) }
            } else if !isHead {
                keeps = false
                body = .untilClose(write)
            }
        }
        if !keeps {
            headers.append(name: "Connection", value: "close")
        } else if request.minorVersion == 0 {
            headers.append(name: "Connection", value: "keep-alive")
        }

        var head: [UInt8] = []
        head.reserveCapacity(256)
        // The server's own version, whatever the request's (RFC 9112, section 2.3, by way of RFC 9110, section 6.2).
        try HTTPHeadWriter.write(HTTPResponseHead(status: response.status, headers: headers), to: &head)
        return EncodedResponse(head: head, body: body, keepsConnection: keeps)
    }

    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
