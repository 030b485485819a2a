// SPDX-License-Identifier: MIT

/// Some families of an exposition, encoded. The same object always holds the same bytes, so that what was made of them,
/// such as their compressed form, can be kept by its identity.
package final class ExpositionSegment: Sendable {
    /// The encoded families.
    package let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension [ExpositionSegment] {
    /// The whole exposition.
    package func joined() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reduce(0) { $0 + $1.bytes.count })
        for segment in self { bytes.append(contentsOf: segment.bytes) }
        return bytes
    }
}
