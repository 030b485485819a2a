// SPDX-License-Identifier: MIT

public import WPHTTP

/// Provides the TLS context of new connections. A ``WPHTTP/TLSContext`` is a constant source; ``RotatingTLSContext``
/// reloads its files when they change.
public protocol TLSContextSource: Sendable {
    /// The context for a new connection; called on the server's thread, so it must not block.
    func context() async -> TLSContext
}

/// A source with the expiry of its certificate in seconds since 1970, or nil.
protocol DatedCertificate {
    var certificateEnd: Int64? { get }
}

extension TLSContext: TLSContextSource, DatedCertificate {
    /// Itself.
    public func context() async -> TLSContext { self }
}
