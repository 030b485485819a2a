// SPDX-License-Identifier: MIT

/// Parses the heads of HTTP/1.1 messages strictly, according to RFC 9112.
///
/// Stateless: call it again with more bytes if it returns nil. The limits bound the number of calls.
package enum HTTPHeadParser {
    /// Parses a request's head at the start of the bytes. Skips one empty line before it (RFC 9112,
    /// section 2.2).
    /// - Parameters:
    ///   - bytes: everything received and not yet consumed.
    ///   - limits: the limits of the head.
    /// - Returns: the head and its size in bytes; nil if it is incomplete but valid so far.
    /// - Throws: ``HTTPWireError`` as soon as the bytes cannot become a valid head.
    package static func parseRequestHead(
        _ bytes: UnsafeRawBufferPointer,
        limits: HTTPLimits
    ) throws(HTTPWireError) -> (head: HTTPRequestHead, length: Int)? {
        var start = 0
        if bytes.first == HTTPSyntax.carriageReturn {
            guard bytes.count > 1 else { return nil }
            guard bytes[1] == HTTPSyntax.lineFeed else { throw HTTPLine.strayCarriageReturn }
            start = 2
        }
        let line = try HTTPLine.find(in: bytes, from: start, maxBytes: limits.maxStartLineBytes) {
            HTTPWireError(.startLineTooLong, status: .uriTooLong, "The request line is longer than the limit.")
        }
        guard let line else {
            try HTTPRequestLine.checkPrefix(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            return nil
        }
        let request = try HTTPRequestLine.parse(UnsafeRawBufferPointer(rebasing: bytes[start..<line]))
        let section = try fields(bytes, from: line + 2, limits: limits, errorStatus: .headerFieldsTooLarge)
        guard let (parsed, length) = section else { return nil }
        var headers = parsed
        try HTTPAuthority.checkHost(headers, isRequired: request.minorVersion > 0)
        if let authority = request.authority { headers["Host"] = authority }
        let head = HTTPRequestHead(
            method: request.method,
            target: request.target,
            minorVersion: request.minorVersion,
            headers: headers
        )
        return (head, length)
    }

    /// Parses a response's head at the start of the bytes.
    /// - Parameters:
    ///   - bytes: everything received and not yet consumed.
    ///   - limits: the limits of the head.
    /// - Returns: the head and its size in bytes; nil if it is incomplete but valid so far.
    /// - Throws: ``HTTPWireError`` as soon as the bytes cannot become a valid head.
    package static func parseResponseHead(
        _ bytes: UnsafeRawBufferPointer,
        limits: HTTPLimits
    ) throws(HTTPWireError) -> (head: HTTPResponseHead, length: Int)? {
        do throws(HTTPWireError) {
            let line = try HTTPLine.find(in: bytes, from: 0, maxBytes: limits.maxStartLineBytes) {
                HTTPWireError(.startLineTooLong, "The status line is longer than the limit.")
            }
            guard let line else {
                try HTTPStatusLine.checkPrefix(bytes)
                return nil
            }
            let (status, minor) = try HTTPStatusLine.parse(UnsafeRawBufferPointer(rebasing: bytes[..<line]))
            guard let (headers, length) = try fields(bytes, from: line + 2, limits: limits, errorStatus: .badGateway)
            else {
                return nil
            }
            return (HTTPResponseHead(status: status, minorVersion: minor, headers: headers), length)
        } catch {
            throw HTTPWireError(error.code, status: .badGateway, error.message)
        }
    }

    private static func fields(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        limits: HTTPLimits,
        errorStatus: HTTPStatus
    ) throws(HTTPWireError) -> (HTTPFields, Int)? {
        var headers = HTTPFields()
        var offset = start
        var count = 0
        while true {
            let used = offset - start
            // The empty line that ends the section is not a field, so it does not count.
            let line = try HTTPLine.find(in: bytes, from: offset, maxBytes: max(0, limits.maxHeaderBytes - used - 2)) {
                HTTPWireError(.headersTooLarge, status: errorStatus, "The header fields are larger than the limit.")
            }
            guard let line else { return nil }
            if line == offset { return (headers, line + 2) }
            count += 1
            guard count <= limits.maxHeaderCount else {
                throw HTTPWireError(
                    .headersTooLarge,
                    status: errorStatus,
                    "There are more header fields than the limit."
                )
            }
            let field = try fieldLine(UnsafeRawBufferPointer(rebasing: bytes[offset..<line]))
            headers.append(name: field.name, value: field.value)
            offset = line + 2
        }
    }

    /// Reads a field line without its line end (RFC 9112, section 5).
    private static func fieldLine(_ line: UnsafeRawBufferPointer) throws(HTTPWireError) -> (name: String, value: String)
    {
        var colon = 0
        while colon < line.count, HTTPSyntax.token.contains(line[colon]) { colon += 1 }
        guard colon < line.count, line[colon] == HTTPSyntax.colon, colon > 0 else {
            throw HTTPWireError(.field, fieldFault(line, at: colon))
        }
        var first = colon + 1
        var last = line.count
        while first < last, HTTPSyntax.isBlank(line[first]) { first += 1 }
        while last > first, HTTPSyntax.isBlank(line[last - 1]) { last -= 1 }
        let name = String(decoding: UnsafeRawBufferPointer(rebasing: line[..<colon]), as: UTF8.self)
        return (name, HTTPSyntax.text(UnsafeRawBufferPointer(rebasing: line[first..<last])))
    }

    private static func fieldFault(_ line: UnsafeRawBufferPointer, at offset: Int) -> String {
        guard offset < line.count else { return "A header field has no colon." }
        if offset == 0, HTTPSyntax.isBlank(line[0]) {
            return "A header line starts with whitespace; folding is obsolete."
        }
        if HTTPSyntax.isBlank(line[offset]) { return "A header field has whitespace before its colon." }
        return "A header field's name is not a token."
    }
}
