// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing
import WPModel

@testable import WPClient

@Suite("A token's life")
struct TokenTests {
    /// A JWT with these claims and a signature that nobody checks.
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
        "is the setting's, unless plausible claims say less",
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
    func lifetime(claims: String, seconds: Int) {
        #expect(token(Self.jwt(claims)).expiry == .seconds(100 + seconds))
    }

    @Test(
        "is the setting's when the token is no JWT",
        arguments: ["", "opaque", "a.b.c", "a.b", "..", "a.eyJleHAi.c", "é.é.é", "a.====.c"]
    )
    func opaque(text: String) {
        #expect(token(Secret(text)).expiry == .seconds(1900))
    }

    @Test("ends in renewal at the threshold, or half-way when it is short")
    func renewal() {
        #expect(token(Secret("t")).renewal == .seconds(1600))
        #expect(token(Secret("t"), lifetime: .seconds(120)).renewal == .seconds(160))
        #expect(token(Secret("t"), lifetime: .seconds(-5)).expiry == .seconds(100))
    }
}

@Suite("The pause after a refusal")
struct RefusalBackoffTests {
    private let reader = WinPowerCredentials(username: "reader", password: Secret("old"))

    @Test("doubles from 30 s up to 15 min")
    func doubling() {
        var backoff = RefusalBackoff()
        let pauses = (0..<7).map { _ in backoff.refuse(reader, at: .zero, random: 0) }
        #expect(pauses == [30, 60, 120, 240, 480, 900, 900].map { .seconds($0) })
    }

    @Test("is longer at random, by half at most, and never shorter or beyond 15 min")
    func jitter() {
        for random in [0, 0.5, 0.999, 1, 7, -7, Double.nan, .infinity] {
            var backoff = RefusalBackoff()
            for base in [30, 60, 120, 240, 480, 900, 900, 900] as [Double] {
                let pause = backoff.refuse(reader, at: .zero, random: random)
                #expect(pause >= .seconds(base))
                #expect(pause <= .seconds(min(base * 1.5, 900)))
            }
        }
        var backoff = RefusalBackoff()
        #expect(backoff.refuse(reader, at: .zero, random: 0.5) == .seconds(37.5))
    }

    @Test("holds for the refused credentials, until it is over or forgotten")
    func remaining() {
        var backoff = RefusalBackoff()
        let changed = WinPowerCredentials(username: "reader", password: Secret("new"))
        #expect(backoff.remaining(for: reader, at: .zero) == nil)
        _ = backoff.refuse(reader, at: .seconds(10), random: 0)
        #expect(backoff.remaining(for: reader, at: .seconds(25)) == .seconds(15))
        #expect(backoff.remaining(for: changed, at: .seconds(25)) == nil)
        #expect(backoff.remaining(for: reader, at: .seconds(40)) == nil)
        _ = backoff.refuse(reader, at: .seconds(40), random: 0)
        backoff.reset()
        #expect(backoff.remaining(for: reader, at: .seconds(41)) == nil)
        #expect(backoff.refuse(reader, at: .seconds(41), random: 0) == .seconds(30))
    }
}
