// SPDX-License-Identifier: MIT

/// A request line (RFC 9112, section 3).
struct HTTPRequestLine {
    /// The longest registered method has 17 letters.
    static let maxMethodBytes = 32

    var method: HTTPMethod
    var target: String
    /// The authority of an absolute form.
    var authority: String?
    var minorVersion: Int

    /// Parses a line, without its line end, that contains no control characters except tabs.
    static func parse(_ line: UnsafeRawBufferPointer) throws(HTTPWireError) -> HTTPRequestLine {
        let methodEnd = try methodEnd(in: line)
        guard
            methodEnd < line.count,
            let targetEnd = line[(methodEnd + 1)...].firstIndex(of: HTTPSyntax.space),
            targetEnd > methodEnd + 1
        else { throw malformed }
        let minor = try HTTPVersion.minor(UnsafeRawBufferPointer(rebasing: line[(targetEnd + 1)...]))
        let method = HTTPMethod(
            rawValue: String(decoding: UnsafeRawBufferPointer(rebasing: line[..<methodEnd]), as: UTF8.self)
        )
        guard method != .connect else {
            throw HTTPWireError(.method, status: .notImplemented, "CONNECT is for proxies.")
        }
        let raw = UnsafeRawBufferPointer(rebasing: line[(methodEnd + 1)..<targetEnd])
        let (target, authority) = try HTTPTarget.parse(raw, method: method)
        return HTTPRequestLine(method: method, target: target, authority: authority, minorVersion: minor)
    }

    /// Checks an incomplete line, to reject other protocols immediately.
    static func checkPrefix(_ line: UnsafeRawBufferPointer) throws(HTTPWireError) {
        _ = try methodEnd(in: line)
    }

    private static let malformed = HTTPWireError(
        .startLine,
        "The request line is not a method, a target and a version, separated by single spaces."
    )

    private static func methodEnd(in line: UnsafeRawBufferPointer) throws(HTTPWireError) -> Int {
        var end = 0
        while end < line.count, HTTPSyntax.token.contains(line[end]) {
            end += 1
            guard end <= maxMethodBytes else {
                throw HTTPWireError(.method, status: .notImplemented, "The method is longer than any known one.")
            }
        }
        let isTerminated = end == line.count || line[end] == HTTPSyntax.space || line[end] == HTTPSyntax.carriageReturn
        guard isTerminated, end > 0 || line.isEmpty else { throw malformed }
        return end
    }
}

/// A status line (RFC 9112, section 4).
enum HTTPStatusLine {
    /// Reads a line without its line end. A missing space before an empty reason phrase is common and accepted.
    static func parse(_ line: UnsafeRawBufferPointer) throws(HTTPWireError) -> (HTTPStatus, minorVersion: Int) {
        guard let space = line.firstIndex(of: HTTPSyntax.space) else { throw malformed }
        let minor = try HTTPVersion.minor(UnsafeRawBufferPointer(rebasing: line[..<space]))
        let rest = UnsafeRawBufferPointer(rebasing: line[(space + 1)...])
        guard
            rest.count == 3 || (rest.count > 3 && rest[3] == HTTPSyntax.space),
            let code = HTTPSyntax.decimal(rest.prefix(3)),
            (100...599).contains(code)
        else { throw malformed }
        let reason = rest.count > 4 ? HTTPSyntax.text(UnsafeRawBufferPointer(rebasing: rest[4...])) : nil
        return (HTTPStatus(code: code, reason: reason), minor)
    }

    /// Checks an incomplete line.
    static func checkPrefix(_ line: UnsafeRawBufferPointer) throws(HTTPWireError) {
        guard zip(line, "HTTP/".utf8).allSatisfy({ $0 == $1 }) else { throw malformed }
    }

    private static let malformed = HTTPWireError(.startLine, "The status line is not a version and a status.")
}

/// The version of a start line (RFC 9112, section 2.3).
enum HTTPVersion {
    /// 0 for HTTP/1.0, 1 for every later HTTP/1.x.
    static func minor(_ text: UnsafeRawBufferPointer) throws(HTTPWireError) -> Int {
        guard
            text.count == 8, text.starts(with: "HTTP/".utf8), text[6] == UInt8(ascii: "."),
            HTTPSyntax.isDigit(text[5]), HTTPSyntax.isDigit(text[7])
        else { throw HTTPWireError(.startLine, "The start line's version is not of the form HTTP/1.1.") }
        guard text[5] == UInt8(ascii: "1") else {
            throw HTTPWireError(.version, status: .versionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are supported.")
        }
        return text[7] == UInt8(ascii: "0") ? 0 : 1
    }
}
