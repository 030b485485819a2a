// SPDX-License-Identifier: MIT

/// The size limits of a message. They also apply to incomplete messages, to bound memory.
public struct HTTPLimits: Sendable, Hashable {
    /// The maximum length of a request or status line in bytes, without its line end. Default 8 KiB.
    package var maxStartLineBytes: Int
    /// The maximum total size of field lines in bytes, including a chunked body's trailers and chunk extensions.
    /// Default 32 KiB.
    package var maxHeaderBytes: Int
    /// The maximum number of field lines. Default 100.
    package var maxHeaderCount: Int
    /// The maximum size of a decoded body in bytes. Default 4 KiB.
    package var maxBodyBytes: Int

    /// Creates limits. Negative values are treated as zero.
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
