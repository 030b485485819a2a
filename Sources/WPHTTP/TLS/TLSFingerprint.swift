// SPDX-License-Identifier: MIT

import COpenSSL
import WPCore

/// The SHA-256 digest of a certificate (of its DER form), to trust only that certificate.
public struct TLSFingerprint: Sendable, Hashable, CustomStringConvertible {
    private static let size = 32

    private let bytes: [UInt8]

    /// Parses 64 hexadecimal digits, optionally with colons between pairs, as printed by `openssl x509 -noout
    /// -fingerprint -sha256`; nil if invalid.
    public init?(_ text: String) {
        let pairs: [Substring]
        if text.contains(":") {
            pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        } else {
            pairs = stride(from: 0, to: text.utf8.count, by: 2).map { Substring(text).dropFirst($0).prefix(2) }
        }
        guard pairs.count == Self.size else { return nil }
        bytes = pairs.compactMap { pair in
            let digits = pair.utf8.compactMap(PercentEncoding.hexValue)
            return digits.count == 2 && pair.utf8.count == 2 ? digits[0] << 4 | digits[1] : nil
        }
        guard bytes.count == Self.size else { return nil }
    }

    /// The peer's certificate after the handshake; nil if it sent none.
    init?(ofPeerOf session: OpaquePointer) {
        guard let certificate = SSL_get1_peer_certificate(session) else { return nil }
        defer { X509_free(certificate) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &digest, &count) == 1, Int(count) == Self.size else { return nil }
        bytes = Array(digest.prefix(Self.size))
    }

    /// 32 pairs of upper-case hexadecimal digits with colons between them.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}

/// How a TLS client decides whether to trust the server.
public enum TLSVerification: Sendable, Hashable {
    /// Verify the issuer against the system's authorities, and the name.
    case system
    /// Verify the issuer against the PEM bundle at this path, and the name.
    case authorities(path: String)
    /// Accept only the certificate with this fingerprint, regardless of name, authority and dates.
    case pinned(TLSFingerprint)
    /// Do not verify: the connection is encrypted, but not authenticated.
    case none

    /// Whether OpenSSL verifies the issuer and the name.
    var usesAuthorities: Bool {
        switch self {
        case .system, .authorities: true
        case .pinned, .none: false
        }
    }
}
