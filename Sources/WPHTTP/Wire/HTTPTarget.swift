// SPDX-License-Identifier: MIT

import WPCore

/// A request target (RFC 9112, section 3.2).
enum HTTPTarget {
    /// Reads a target, reducing an absolute form to origin form.
    /// - Returns: the target, and the authority of an absolute form.
    static func parse(
        _ raw: UnsafeRawBufferPointer,
        method: HTTPMethod
    ) throws(HTTPWireError) -> (target: String, authority: String?) {
        guard raw.allSatisfy({ HTTPSyntax.target.contains($0) }) else {
            throw HTTPWireError(.target, "The request target contains a character that a URI must percent-encode.")
        }
        let text = String(decoding: raw, as: UTF8.self)
        if raw.first == UInt8(ascii: "/") {
            try checkPath(raw)
            return (text, nil)
        }
        if text == "*" {
            guard method == .options else {
                throw HTTPWireError(.target, "Only OPTIONS can have an asterisk as its target.")
            }
            return (text, nil)
        }
        return try parseAbsolute(raw, method: method)
    }

    private static func parseAbsolute(
        _ raw: UnsafeRawBufferPointer,
        method: HTTPMethod
    ) throws(HTTPWireError) -> (target: String, authority: String?) {
        guard let prefix = schemeLength(raw) else {
            throw HTTPWireError(.target, "The request target is neither a path nor an http or https URI.")
        }
        let rest = raw[prefix...]
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let authority = String(decoding: UnsafeRawBufferPointer(rebasing: rest[..<end]), as: UTF8.self)
        guard HTTPAuthority.isValid(authority) else {
            throw HTTPWireError(.target, "The request target's authority is not a host with an optional port.")
        }
        let path = UnsafeRawBufferPointer(rebasing: rest[end...])
        if path.isEmpty { return (method == .options ? "*" : "/", authority) }
        try checkPath(path)
        let text = String(decoding: path, as: UTF8.self)
        return (path.first == UInt8(ascii: "?") ? "/" + text : text, authority)
    }

    private static func schemeLength(_ raw: UnsafeRawBufferPointer) -> Int? {
        for scheme in ["http://", "https://"] {
            let prefix = String(decoding: raw.prefix(scheme.utf8.count), as: UTF8.self)
            if HTTPFields.same(prefix, scheme) { return scheme.utf8.count }
        }
        return nil
    }

    /// Checks that two hexadecimal digits follow every percent sign in the path. The query is not checked.
    private static func checkPath(_ raw: UnsafeRawBufferPointer) throws(HTTPWireError) {
        let path = raw.prefix { $0 != UInt8(ascii: "?") }
        guard !path.contains(UInt8(ascii: "%")) || PercentEncoding.decode(path) != nil else {
            throw HTTPWireError(.target, "A percent sign in the path is not followed by two hexadecimal digits.")
        }
    }
}

/// A host with an optional port (RFC 3986, sections 3.2.2 and 3.2.3).
enum HTTPAuthority {
    /// Checks Host: exactly one valid field; HTTP/1.0 may omit it (RFC 9112, section 3.2).
    static func checkHost(_ headers: HTTPFields, isRequired: Bool) throws(HTTPWireError) {
        var count = 0
        for field in headers.all where HTTPFields.same(field.name, "Host") {
            count += 1
            guard count == 1 else { throw HTTPWireError(.host, "There is more than one Host field.") }
            guard isValid(field.value) else {
                throw HTTPWireError(.host, "The Host field is not a host with an optional port.")
            }
        }
        guard count == 1 || !isRequired else { throw HTTPWireError(.host, "There is no Host field.") }
    }

    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        let hostEnd: String.UTF8View.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = bytes[bytes.index(after: bytes.startIndex)..<bracket]
            guard !literal.isEmpty, literal.allSatisfy({ HTTPSyntax.addressLiteral.contains($0) }) else { return false }
            hostEnd = bytes.index(after: bracket)
        } else {
            hostEnd = bytes.firstIndex(of: HTTPSyntax.colon) ?? bytes.endIndex
            let name = bytes[..<hostEnd]
            guard !name.isEmpty, name.allSatisfy({ HTTPSyntax.registeredName.contains($0) }) else { return false }
        }
        guard hostEnd < bytes.endIndex else { return true }
        guard bytes[hostEnd] == HTTPSyntax.colon else { return false }
        let port = bytes[bytes.index(after: hostEnd)...]
        guard !port.isEmpty else { return true }
        guard let number = HTTPSyntax.decimal(port) else { return false }
        return number <= 65535
    }
}
