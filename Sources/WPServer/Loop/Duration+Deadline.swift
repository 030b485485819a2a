// SPDX-License-Identifier: MIT

/// Deadlines on the scale of `TimePoint.monotonic`.
extension Duration {
    /// A deadline that never passes.
    static var never: Duration { .seconds(Int64.max) }

    /// This time plus a timeout, which may be any Duration: a negative one is treated as zero, and the sum is at most
    /// ``never``.
    func advanced(by timeout: Duration) -> Duration {
        min(self + min(max(timeout, .zero), .never), .never)
    }
}
