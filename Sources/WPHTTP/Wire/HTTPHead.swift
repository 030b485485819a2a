// SPDX-License-Identifier: MIT

/// The head of a request: its request line and fields.
package struct HTTPRequestHead: Sendable, Hashable {
    /// The method.
    package var method: HTTPMethod
    /// The target in origin form, percent-encoded; `*` for OPTIONS for the whole server. The parser reduces an absolute
    /// form to this, and replaces Host with its authority (RFC 9112, section 3.2.2).
    package var target: String
    /// The minor version: 0 or 1. A later HTTP/1.x is treated as 1.
    package var minorVersion: Int
    /// The fields.
    package var headers: HTTPFields

    /// Creates a head.
    package init(method: HTTPMethod, target: String, minorVersion: Int = 1, headers: HTTPFields = HTTPFields()) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.headers = headers
    }

    /// Whether the sender wants to keep the connection after the response (RFC 9112, section 9.3).
    package var keepsAlive: Bool {
        connectionPersists(minorVersion: minorVersion, headers: headers)
    }

    /// Whether the sender waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). Always false
    /// for HTTP/1.0, where the field has no meaning.
    /// - Throws: ``HTTPWireError`` with status 417 for any other expectation.
    package func expectsContinue() throws(HTTPWireError) -> Bool {
        guard minorVersion > 0 else { return false }
        var expects = false
        for field in headers.all where HTTPFields.same(field.name, "Expect") {
            guard HTTPFields.same(field.value, "100-continue") else {
                throw HTTPWireError(
                    .expectation,
                    status: .expectationFailed,
                    "The only expectation that can be met is 100-continue."
                )
            }
            expects = true
        }
        return expects
    }
}

/// The head of a response: its status line and fields.
package struct HTTPResponseHead: Sendable, Hashable {
    /// The status.
    package var status: HTTPStatus
    /// The minor version: 0 or 1. A later HTTP/1.x is treated as 1.
    package var minorVersion: Int
    /// The fields.
    package var headers: HTTPFields

    /// Creates a head.
    package init(status: HTTPStatus, minorVersion: Int = 1, headers: HTTPFields = HTTPFields()) {
        self.status = status
        self.minorVersion = minorVersion
        self.headers = headers
    }

    /// Whether the sender keeps the connection after this response (RFC 9112, section 9.3), provided that the end of
    /// the connection does not end the body.
    package var keepsAlive: Bool {
        connectionPersists(minorVersion: minorVersion, headers: headers)
    }
}

private func connectionPersists(minorVersion: Int, headers: HTTPFields) -> Bool {
    if headers.contains("close", in: "Connection") { return false }
    return minorVersion > 0 || headers.contains("keep-alive", in: "Connection")
}
