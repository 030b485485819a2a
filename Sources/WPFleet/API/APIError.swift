// SPDX-License-Identifier: MIT

import WPCore
package import WPHTTP

/// An error response of the API: JSON with `error`.
package struct APIError: Error, Sendable {
    package var status: HTTPStatus
    package var message: String

    package init(_ status: HTTPStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    static func badRequest(_ message: String) -> APIError { APIError(.badRequest, message) }
    static func notFound(_ what: String) -> APIError { APIError(.notFound, "\(what) not found") }

    package var response: HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ],
            body: .bytes(Array("{\"error\":\(JSONText.quoted(message, limit: 512))}\n".utf8))
        )
    }
}
