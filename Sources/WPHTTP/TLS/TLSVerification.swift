// SPDX-License-Identifier: MIT

/// How a TLS client decides whether to trust the server.
public enum TLSVerification: Sendable, Hashable {
    /// By the system's authorities, and by name.
    case system
    /// By the authorities of one PEM bundle at this path, and by name.
    case authorities(path: String)
    /// By one certificate alone: the server must show the one with this fingerprint. Neither its name nor its authority nor
    /// its dates are looked at.
    case pinned(TLSFingerprint)
    /// Not at all: any certificate for any name. The connection is encrypted but may be to anybody.
    case none

    /// Whether OpenSSL decides by authorities and names.
    var usesAuthorities: Bool {
        switch self {
        case .system, .authorities: true
        case .pinned, .none: false
        }
    }
}
