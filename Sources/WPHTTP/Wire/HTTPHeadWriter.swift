// SPDX-License-Identifier: MIT

/// Writes the heads of HTTP/1.1 messages, and rejects values that would corrupt them, such as those with line breaks.
package enum HTTPHeadWriter {
    /// Appends a request's head, including the empty line. Nothing is added when it throws.
    /// - Throws: ``HTTPWireError`` if the method, the target, a name or a value is invalid.
    package static func write(_ head: HTTPRequestHead, to output: inout [UInt8]) throws(HTTPWireError) {
        guard HTTPSyntax.isToken(head.method.rawValue) else {
            throw HTTPWireError(.method, status: .internalServerError, "The method to send is not a token.")
        }
        guard !head.target.isEmpty, head.target.utf8.allSatisfy({ HTTPSyntax.target.contains($0) }) else {
            throw HTTPWireError(
                .target,
                status: .internalServerError,
                "The target to send is empty or contains a character that a URI must percent-encode."
            )
        }
        for field in head.headers.all { try check(name: field.name, value: field.value) }
        output.append(contentsOf: head.method.rawValue.utf8)
        output.append(HTTPSyntax.space)
        output.append(contentsOf: head.target.utf8)
        output.append(contentsOf: head.minorVersion == 0 ? " HTTP/1.0\r\n".utf8 : " HTTP/1.1\r\n".utf8)
        for field in head.headers.all { write(name: field.name, value: field.value, to: &output) }
        writeLineEnd(to: &output)
    }

    /// Adds a response's status line. Nothing is added when it throws.
    /// - Throws: ``HTTPWireError`` if the status is not 100 to 599, or the reason is invalid.
    package static func writeStatusLine(_ status: HTTPStatus, to output: inout [UInt8]) throws(HTTPWireError) {
        guard (100...599).contains(status.code), status.reason.utf8.allSatisfy({ !HTTPSyntax.isControl($0) }) else {
            throw HTTPWireError(.startLine, status: .internalServerError, "The status to send is not a valid one.")
        }
        output.append(contentsOf: "HTTP/1.1 ".utf8)
        output.append(contentsOf: status.code.description.utf8)
        output.append(HTTPSyntax.space)
        output.append(contentsOf: status.reason.utf8)
        writeLineEnd(to: &output)
    }

    /// Adds one field line. Nothing is added when it throws.
    /// - Throws: ``HTTPWireError`` if the name or the value is invalid.
    package static func writeField(
        name: String,
        value: String,
        to output: inout [UInt8]
    ) throws(HTTPWireError) {
        try check(name: name, value: value)
        write(name: name, value: value, to: &output)
    }

    /// Adds a line's end; after the last field, it ends the head.
    package static func writeLineEnd(to output: inout [UInt8]) {
        output.append(HTTPSyntax.carriageReturn)
        output.append(HTTPSyntax.lineFeed)
    }

    private static func check(name: String, value: String) throws(HTTPWireError) {
        guard HTTPSyntax.isToken(name) else {
            throw HTTPWireError(.field, status: .internalServerError, "The header name to send is not a token.")
        }
        guard HTTPSyntax.isFieldValue(value) else {
            throw HTTPWireError(
                .field,
                status: .internalServerError,
                "The header value to send contains a control character, or begins or ends with whitespace."
            )
        }
    }

    private static func write(name: String, value: String, to output: inout [UInt8]) {
        output.append(contentsOf: name.utf8)
        output.append(HTTPSyntax.colon)
        output.append(HTTPSyntax.space)
        output.append(contentsOf: value.utf8)
        writeLineEnd(to: &output)
    }
}
