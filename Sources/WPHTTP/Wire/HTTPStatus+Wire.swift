// SPDX-License-Identifier: MIT

extension HTTPStatus {
    /// 100.
    package static let `continue` = HTTPStatus(code: 100)
    /// 502: what a gateway answers for an upstream that it can't understand.
    package static let badGateway = HTTPStatus(code: 502)

    /// Whether a response of this status may have a body: not 1xx, 204 or 304 (RFC 9110, section 6.4.1).
    package var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}
