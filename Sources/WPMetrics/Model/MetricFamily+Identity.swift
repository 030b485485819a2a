// SPDX-License-Identifier: MIT

extension MetricFamily {
    /// Whether both are certainly the same, found out without a look at their metrics: they share them in memory.
    ///
    /// While both are kept, neither array can be written to without being copied first, so that one address means one
    /// content. The same content in two places is not noticed.
    func isIdentical(to other: MetricFamily) -> Bool {
        let isShared = metrics.withUnsafeBufferPointer { left in
            other.metrics.withUnsafeBufferPointer { right in
                !left.isEmpty && left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
        return isShared && descriptor == other.descriptor
    }
}

extension [MetricFamily] {
    /// Whether both are certainly the same: one array, by the same reasoning.
    func isIdentical(to other: [MetricFamily]) -> Bool {
        withUnsafeBufferPointer { left in
            other.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }
}
