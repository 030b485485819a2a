// SPDX-License-Identifier: MIT

/// The bounds of a histogram's buckets as the formats write them. They never change, and take longer to write than the
/// rest of their lines.
final class BoundTexts: Sendable {
    /// As the text format has them: `1`.
    let text: [[UInt8]]
    /// As OpenMetrics has them: `1.0`.
    let openMetrics: [[UInt8]]

    init(_ bounds: [Double]) {
        func texts(keepsPoint: Bool) -> [[UInt8]] {
            bounds.map { bound in
                var text: [UInt8] = []
                text.appendBound(bound, keepsPoint: keepsPoint)
                return text
            }
        }
        text = texts(keepsPoint: false)
        openMetrics = texts(keepsPoint: true)
    }
}
