// SPDX-License-Identifier: MIT

import WPHTTP

/// Why a connection cannot continue.
enum ConnectionEnd: Error {
    /// The peer has disconnected, or the server has closed the connection.
    case lost
    /// The TLS handshake failed.
    case handshake(String)
    /// The peer was too slow to read a response.
    case tooSlow
    /// The request is rejected with this status, and nothing more is read.
    case rejected(HTTPStatus, HTTPWireError.Code?, String)

    static func rejected(_ error: HTTPWireError) -> ConnectionEnd {
        .rejected(error.status, error.code, error.message)
    }

    static let requestTimeout = ConnectionEnd.rejected(
        .requestTimeout,
        nil,
        "The request was not complete in time."
    )
}
