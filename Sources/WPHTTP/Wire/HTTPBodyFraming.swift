// SPDX-License-Identifier: MIT

/// The framing of a message's body (RFC 9112, section 6.3).
package enum HTTPBodyFraming: Sendable, Hashable {
    /// There is no body.
    case none
    /// This many bytes, more than zero.
    case length(Int)
    /// In chunks; see ``ChunkedDecoder``.
    case chunked
    /// Everything until the sender closes the connection. Only for responses.
    case untilClose

    /// The framing of a request's body.
    ///
    /// Ambiguous messages are rejected: Transfer-Encoding together with Content-Length, more than one Content-Length
    /// even if they agree, or Transfer-Encoding in HTTP/1.0.
    /// - Throws: ``HTTPWireError`` with status 400, 413 (longer than the limit) or 501 (a coding other than chunked).
    package static func request(
        _ head: HTTPRequestHead,
        limits: HTTPLimits = HTTPLimits()
    ) throws(HTTPWireError) -> HTTPBodyFraming {
        let lengths = Lengths(head.headers)
        guard lengths.contentLengthCount <= 1 else {
            throw HTTPWireError(.bodyLength, "There is more than one Content-Length.")
        }
        if lengths.hasTransferEncoding {
            try checkChunked(head.headers, lengths: lengths, minorVersion: head.minorVersion)
            return .chunked
        }
        guard let text = lengths.contentLength else { return .none }
        return try length(text, limits: limits, errorStatus: .contentTooLarge)
    }

    /// The framing of a response's body.
    /// - Parameters:
    ///   - head: the response's head.
    ///   - method: the method of the request that it answers.
    ///   - limits: the limits of the body.
    /// - Throws: ``HTTPWireError`` with status 502.
    package static func response(
        _ head: HTTPResponseHead,
        to method: HTTPMethod,
        limits: HTTPLimits = HTTPLimits()
    ) throws(HTTPWireError) -> HTTPBodyFraming {
        if method == .head || !head.status.allowsBody { return .none }
        do throws(HTTPWireError) {
            let lengths = Lengths(head.headers)
            if lengths.hasTransferEncoding {
                try checkChunked(head.headers, lengths: lengths, minorVersion: head.minorVersion)
                return .chunked
            }
            guard let text = lengths.contentLength else { return .untilClose }
            guard !lengths.contentLengthsDiffer else {
                throw HTTPWireError(.bodyLength, "The Content-Lengths differ.")
            }
            return try length(text, limits: limits, errorStatus: .badGateway)
        } catch {
            throw HTTPWireError(error.code, status: .badGateway, error.message)
        }
    }

    private struct Lengths {
        var contentLength: String?
        var contentLengthCount = 0
        var contentLengthsDiffer = false
        var hasTransferEncoding = false

        init(_ headers: HTTPFields) {
            for field in headers.all {
                if HTTPFields.same(field.name, "Content-Length") {
                    contentLengthCount += 1
                    if let contentLength, contentLength != field.value { contentLengthsDiffer = true }
                    contentLength = field.value
                } else if HTTPFields.same(field.name, "Transfer-Encoding") {
                    hasTransferEncoding = true
                }
            }
        }
    }

    private static func length(
        _ text: String,
        limits: HTTPLimits,
        errorStatus: HTTPStatus
    ) throws(HTTPWireError) -> HTTPBodyFraming {
        guard let count = HTTPSyntax.decimal(text.utf8) else {
            throw HTTPWireError(.bodyLength, "The Content-Length is not a decimal number.")
        }
        guard count <= limits.maxBodyBytes else {
            throw HTTPWireError(.bodyTooLarge, status: errorStatus, "The body is larger than the limit.")
        }
        return count == 0 ? .none : .length(count)
    }

    private static func checkChunked(
        _ headers: HTTPFields,
        lengths: Lengths,
        minorVersion: Int
    ) throws(HTTPWireError) {
        guard lengths.contentLengthCount == 0 else {
            throw HTTPWireError(.bodyLength, "There are both a Content-Length and a Transfer-Encoding.")
        }
        guard minorVersion > 0 else {
            throw HTTPWireError(.bodyLength, "HTTP/1.0 has no Transfer-Encoding.")
        }
        let codings = headers.values(of: "Transfer-Encoding").flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingBlanks() }
        }
        guard let last = codings.last, HTTPFields.same(last, "chunked") else {
            throw HTTPWireError(.bodyLength, "The last transfer coding is not chunked.")
        }
        let others = codings.dropLast()
        guard !others.contains(where: { HTTPFields.same($0, "chunked") || $0.isEmpty }) else {
            throw HTTPWireError(.bodyLength, "The transfer codings do not end in a single chunked.")
        }
        guard others.isEmpty else {
            throw HTTPWireError(
                .transferCoding,
                status: .notImplemented,
                "The only transfer coding that can be read is chunked."
            )
        }
    }
}
