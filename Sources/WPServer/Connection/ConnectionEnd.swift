// SPDX-License-Identifier: MIT

import WPHTTP

/// Why a connection can't continue.
enum ConnectionEnd: Error {
    /// The peer is gone, or the server has cut the connection.
    case lost
    /// TLS did not come about.
    case handshake(String)
    /// The peer was too slow to read a response.
    case tooSlow
    /// The peer is answered with this, and nothing more is read.
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
