// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP

@Suite struct EntityTagTests {
    @Test(arguments: [0, 1, 7, 8, 9, 31, 32, 33, 64, 71, 100])
    func `every byte of a document counts, and its place and number`(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let tag = EntityTag.content(of: bytes)
        #expect(EntityTag.content(of: bytes) == tag)
        var others = [EntityTag.content(of: bytes + [0])]
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            others.append(EntityTag.content(of: other))
        }
        for index in bytes.indices.dropLast(8) {
            var other = bytes
            other.swapAt(index, index + 8)
            others.append(EntityTag.content(of: other))
        }
        #expect(!others.contains(tag))
        #expect(Set(others).count == others.count)
    }
}
