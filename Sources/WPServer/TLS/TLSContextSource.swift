// SPDX-License-Identifier: MIT

public import WPHTTP

/// Says what certificate a new connection is shown. A ``WPHTTP/TLSContext`` is the source that never changes;
/// ``RotatingTLSContext`` follows its files.
public protocol TLSContextSource: Sendable {
    /// The context for one new connection; asked on the server's thread, which must not be blocked.
    func context() async -> TLSContext
}

/// A source that knows when its certificate ends, in seconds since 1970; nil when there is none.
protocol DatedCertificate {
    var certificateEnd: Int64? { get }
}

extension TLSContext: TLSContextSource, DatedCertificate {
    /// Itself.
    public func context() async -> TLSContext { self }
}
