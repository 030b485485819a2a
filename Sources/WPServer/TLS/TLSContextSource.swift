// SPDX-License-Identifier: MIT

public import WPHTTP

/// Says what certificate a new connection is shown. A ``WPHTTP/TLSContext`` is the source that never changes;
/// ``RotatingTLSContext`` follows its files.
public protocol TLSContextSource: Sendable {
    /// The context for one new connection; asked on the server's thread, which must not be blocked.
    func context() async -> TLSContext

    /// When the certificate of the last context ends, in seconds since 1970; nil when that is not known.
    var certificateEnd: Int64? { get }
}

extension TLSContextSource {
    /// Nil.
    public var certificateEnd: Int64? { nil }
}

extension TLSContext: TLSContextSource {
    /// Itself.
    public func context() async -> TLSContext { self }
}
