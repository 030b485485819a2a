// SPDX-License-Identifier: MIT

import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Issues tokens and tracks the valid ones. Several can be valid at once.
struct TokenIssuer: Sendable {
    private struct Issued {
        let token: String
        let end: Duration
    }

    private var issued: [Issued] = []
    private var generator: SeededGenerator
    private let lifetime: Duration
    private let claims: TokenClaims

    /// The maximum number of tokens; the oldest is dropped first.
    private static let limit = 1000
    /// About a century, so that sums of durations do not overflow.
    private static let longestLifetime = Duration.seconds(3_155_760_000)

    init(seed: UInt64, lifetime: Duration, claims: TokenClaims) {
        generator = SeededGenerator(seed: seed, stream: 0x746F_6B65_6E)
        self.lifetime = min(max(lifetime, .zero), Self.longestLifetime)
        self.claims = claims
    }

    /// The number of valid tokens.
    func count(at now: TimePoint) -> Int {
        issued.lazy.filter { $0.end > now.monotonic }.count
    }

    func accepts(_ token: Substring, at now: TimePoint) -> Bool {
        issued.contains { $0.token == token && $0.end > now.monotonic }
    }

    mutating func issue(to user: String, at now: TimePoint) -> String {
        issued.removeAll { $0.end <= now.monotonic }
        if issued.count >= Self.limit { issued.removeFirst(issued.count - Self.limit + 1) }
        let token = jwt(for: user, at: now)
        issued.append(Issued(token: token, end: now.monotonic + lifetime))
        return token
    }

    mutating func revokeAll() {
        issued = []
    }

    mutating func revoke(_ token: String) {
        issued.removeAll { $0.token == token }
    }

    /// A token like WinPower's: HS512, with 64 random bytes as the signature.
    private mutating func jwt(for user: String, at now: TimePoint) -> String {
        let issuedAt = Int(now.wall.timeIntervalSince1970.rounded())
        // lint: the rounded and limited lifetime is always exact
        let seconds = Int(exactly: lifetime.inSeconds.rounded()) ?? 0
        var members: [(String, JSON)] = [("sub", .string(user)), ("iss", .string("WINPOWER"))]
        switch claims {
        case .seconds:
            members += [("iat", .integer(issuedAt)), ("exp", .integer(issuedAt &+ seconds))]
        case .milliseconds:
            members += [
                ("tokenExpiredMinutes", .integer(seconds / 60)),
                ("iat", .integer(issuedAt)),
                ("exp", .integer((issuedAt &+ seconds) &* 1000)),
            ]
        }
        let header = JSON.object([("alg", .string("HS512"))]).bytes
        let payload = JSON.object(members).bytes
        return [header, payload, generator.bytes(64)].map(Self.base64URL).joined(separator: ".")
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
