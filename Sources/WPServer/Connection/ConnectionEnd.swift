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
    /// Answer with this, and read nothing more.
    case refused(HTTPStatus, HTTPWireError.Code?, String)

    static func refused(_ error: HTTPWireError) -> ConnectionEnd {
        .refused(error.status, error.code, error.message)
    }

    static let requestTimeout = ConnectionEnd.refused(
        .requestTimeout,
        nil,
        "The request was not complete in time."
    )
}
