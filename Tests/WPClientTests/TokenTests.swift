// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing
@testable import WPClient
import WPCore

@Suite("Token lifetime")
struct TokenTests {
    /// A JWT with these claims and an unchecked signature.
    private static func jwt(_ claims: String) -> Secret {
        func encoded(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().filter { $0 != "=" }
                .replacing("+", with: "-").replacing("/", with: "_")
        }
        return Secret("\(encoded(#"{"alg":"HS512"}"#)).\(encoded(claims)).c2lnbmF0dXJl")
    }

    private func token(_ secret: Secret, lifetime: Duration = .seconds(1800)) -> Token {
        Token(
            secret: secret,
            number: 1,
            obtained: .seconds(100),
            lifetime: lifetime,
            refreshThreshold: .seconds(300)
        )
    }

    @Test(
        arguments: [
            (#"{"iat":1750000000,"exp":1750001800}"#, 1800),
            (#"{"iat":1750000000,"exp":1750000600}"#, 600),
            (#"{"iat":"1750000000","exp":"1750000600"}"#, 600),
            (#"{"iat":1750000000,"exp":1750000600000}"#, 600),
            (#"{"iat":1750000000000,"exp":1750000600}"#, 600),
            (#"{"iat":1750000000000,"exp":1750000600000,"s":"~~~???"}"#, 600),
            (#"{"iat":1750000000,"exp":1750003600}"#, 1800),
            (#"{"iat":1750000000,"exp":1750000000}"#, 1800),
            (#"{"iat":1750000000,"exp":1740000000}"#, 1800),
            (#"{"iat":1750000000,"exp":1750000005}"#, 1800),
            (#"{"iat":1750000000}"#, 1800),
            (#"{"exp":1750000600}"#, 1800),
            (#"{"iat":null,"exp":[]}"#, 1800),
            (#"{"iat":1e400,"exp":1e308}"#, 1800),
            (#"{"iat":-1e308,"exp":1e308}"#, 1800),
            ("[]", 1800),
            ("{", 1800),
        ] as [(String, Int)]
    )
    func usesTheSettingUnlessTheClaimsAreShorter(claims: String, seconds: Int) {
        #expect(token(Self.jwt(claims)).expiry == .seconds(100 + seconds))
    }

    @Test(
        arguments: ["", "opaque", "a.b.c", "a.b", "..", "a.eyJleHAi.c", "é.é.é", "a.====.c"]
    )
    func usesTheSettingForAnOpaqueToken(text: String) {
        #expect(token(Secret(text)).expiry == .seconds(1900))
    }

    @Test func renewsAtTheThresholdOrHalfTheLifetime() {
        #expect(token(Secret("t")).renewal == .seconds(1600))
        #expect(token(Secret("t"), lifetime: .seconds(120)).renewal == .seconds(160))
        #expect(token(Secret("t"), lifetime: .seconds(-5)).expiry == .seconds(100))
    }
}
