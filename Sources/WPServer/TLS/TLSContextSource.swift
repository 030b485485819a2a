// SPDX-License-Identifier: MIT

public import WPHTTP

/// Says what certificate a new connection is shown. A ``WPHTTP/TLSContext`` is the source that never changes;
/// ``RotatingTLSContext`` follows its files.
public protocol TLSContextSource: Sendable {
    /// The context for one new connection; asked on the server's thread, which must not be blocked.
    func context() async -> TLSContext
}

extension TLSContext: TLSContextSource {
    /// Itself.
    public func context() async -> TLSContext { self }
}
