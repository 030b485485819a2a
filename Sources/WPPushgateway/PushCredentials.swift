// SPDX-License-Identifier: MIT

import WPHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials of a push. Printing, interpolating or dumping them reveals nothing.
public struct PushCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value of the `Authorization` header.
    let authorization: String
    /// Strings that an error message must not quote from a reply.
    let secrets: [String]

    /// A user name and a password (RFC 7617).
    /// - Parameters:
    ///   - username: must not contain a colon, which separates it from the password.
    ///   - password: any text.
    public static func basic(username: String, password: String) -> PushCredentials {
        let pair = Data("\(username):\(password)".utf8).base64EncodedString()
        return PushCredentials(authorization: "Basic \(pair)", secrets: [password, pair])
    }

    /// A bearer token (RFC 6750), for a gateway behind a proxy that requires one.
    public static func bearer(token: String) -> PushCredentials {
        PushCredentials(authorization: "Bearer \(token)", secrets: [token])
    }

    /// `<REDACTED>`.
    public var description: String { "<REDACTED>" }

    /// `<REDACTED>`.
    public var debugDescription: String { "<REDACTED>" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
