// SPDX-License-Identifier: MIT

/// Tells a sample from the others of its subject, and orders the samples of one stream without a wall clock.
package struct HistoryIdentity: Sendable, Hashable {
    /// The run of the sender that numbered the sample; 0 where the sender numbers nothing.
    package var stream: Int64
    /// Grows with each sample of a stream. In stream 0 it is the sender's wall clock in milliseconds since 1970, which tells a
    /// repeat but no order.
    package var sequence: Int64

    /// Creates an identity.
    package init(stream: Int64, sequence: Int64) {
        self.stream = stream
        self.sequence = sequence
    }

    /// That of a sample of which only the sender's time is known, in seconds since 1970.
    package init(senderTime: Double) {
        self.init(stream: 0, sequence: Int64(exactly: (senderTime * 1000).rounded()) ?? 0)
    }
}
