// SPDX-License-Identifier: MIT

/// How large the parts of a message may be. They hold for what has arrived so far as well as for whole messages, so
/// that a peer that never finishes can't make its reader grow.
public struct HTTPLimits: Sendable, Hashable {
    /// The longest request or status line in bytes, without its line end. Default 8 KiB.
    package var maxStartLineBytes: Int
    /// The most bytes of all field lines together, line ends included; also of a chunked body's trailers, and of its
    /// chunk extensions. Default 32 KiB.
    package var maxHeaderBytes: Int
    /// The most field lines. Default 100.
    package var maxHeaderCount: Int
    /// The most bytes of a body after chunked coding is undone. Default 4 KiB.
    package var maxBodyBytes: Int

    /// Creates limits. Negative values count as zero.
    public init(
        maxStartLineBytes: Int = 8 << 10,
        maxHeaderBytes: Int = 32 << 10,
        maxHeaderCount: Int = 100,
        maxBodyBytes: Int = 4 << 10
    ) {
        self.maxStartLineBytes = max(0, maxStartLineBytes)
        self.maxHeaderBytes = max(0, maxHeaderBytes)
        self.maxHeaderCount = max(0, maxHeaderCount)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }
}
