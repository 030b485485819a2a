// SPDX-License-Identifier: MIT

/// Identifies a sample of a subject, and orders the samples of one stream without a wall clock.
public struct HistoryIdentity: Sendable, Hashable {
    /// Identifies the sender's run that numbered the sample; 0 if samples are not numbered.
    public var stream: Int64
    /// Increases with each sample of a stream. In stream 0 it is the sender's wall clock in milliseconds since 1970,
    /// which identifies duplicates but does not define an order.
    public var sequence: Int64

    /// Creates an identity.
    public init(stream: Int64, sequence: Int64) {
        self.stream = stream
        self.sequence = sequence
    }

    /// The identity of a sample with only the sender's time, in seconds since 1970.
    public init(senderTime: Double) {
        // lint: a time from outside may be any number
        self.init(stream: 0, sequence: Int64(exactly: (senderTime * 1000).rounded()) ?? 0)
    }
}
