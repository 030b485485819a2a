// SPDX-License-Identifier: MIT

import Testing
import WPGzip

/// A buffer that grows up to a limit.
struct BoundedGrowthTests {
    @Test(arguments: [1, 1000, 65_536, 1 << 20, 3_000_001], [1, 7777, 16_384, 70_000])
    func oldAndNewStorageNeverExceedTheLimitByMuch(_ limit: Int, _ piece: Int) {
        var bytes: [UInt8] = []
        var old = 0
        while bytes.count < limit {
            let count = min(piece, limit - bytes.count)
            bytes.reserve(bytes.count + count, within: limit)
            if bytes.capacity != old {
                // The resident memory: the old bytes twice during the copy.
                #expect(bytes.capacity <= limit + 65_536)
                #expect(bytes.count * 2 <= limit + 2 * piece + 131_072)
                old = bytes.capacity
            }
            bytes.append(contentsOf: repeatElement(1, count: count))
            #expect(bytes.capacity == old)
        }
    }
}
