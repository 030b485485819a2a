// SPDX-License-Identifier: MIT

import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The lifetime of a JWT (RFC 7519). The signature is not checked, because the claims can only shorten the token's use.
struct TokenClaims {
    /// `exp` minus `iat`; nil if either is missing or the difference is implausible.
    let lifetime: Duration?

    /// Parses the claims; nil if the token is not a JWT.
    init?(token: Secret) {
        let parts = token.reveal().utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.decodedBase64URL(parts[1]),
            // lint: a token from the server
            let claims = try? JSONParser.parse([UInt8](payload)).value.object
        else { return nil }
        lifetime = Self.lifetime(issued: claims["iat"]?.number, expires: claims["exp"]?.number)
    }

    /// The units of the claims vary, even within one token: values of 10¹¹ or more are in milliseconds, because in
    /// seconds they would be after the year 5138.
    static func lifetime(issued: Double?, expires: Double?) -> Duration? {
        guard let issued, let expires, issued.isFinite, expires.isFinite else { return nil }
        let seconds = inSeconds(expires) - inSeconds(issued)
        guard (minimumSeconds...maximumSeconds).contains(seconds) else { return nil }
        return .seconds(seconds)
    }

    private static let minimumSeconds = 60.0
    private static let maximumSeconds = 366 * 86_400.0

    private static func inSeconds(_ claim: Double) -> Double {
        claim.magnitude >= 1e11 ? claim / 1000 : claim
    }

    /// RFC 4648, section 5, without padding.
    private static func decodedBase64URL(_ text: Substring.UTF8View.SubSequence) -> Data? {
        var base64 = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(base64))
    }
}
