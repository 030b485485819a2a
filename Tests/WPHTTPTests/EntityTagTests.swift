// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP

@Suite struct EntityTagTests {
    /// Test vectors of FNV-1a with 64 bits.
    @Test(arguments: [("", "cbf29ce484222325-0"), ("a", "af63dc4c8601ec8c-1"), ("foobar", "85944171f73967e8-6")])
    func `a tag is the hash and the length`(_ text: String, _ tag: String) {
        #expect(EntityTag.content(of: Array(text.utf8)) == tag)
    }

    @Test(arguments: [
        ("gzip", true), ("gzip;q=0", false), ("br , gzip ; q=0.5", true), ("\tgzip\t;\tq=0", false),
        ("x-gzip", true), ("identity", false), ("*;q=0, identity", false), ("*", true),
    ])
    func `spaces in Accept-Encoding have no meaning`(_ value: String, _ isAccepted: Bool) {
        #expect(AcceptEncoding.acceptsGzip([value]) == isAccepted)
    }

    @Test(arguments: [
        ("\"x\"", true), ("\"y\", \"x\"", true), ("W/\"x\"", true), (" \"x\" ,\"y\"", true), ("*", true),
        ("\"y\"", false), ("x", false), ("W/ \"x\"", false),
    ])
    func `a tag matches any of the listed ones`(_ value: String, _ matches: Bool) {
        #expect(EntityTag.matches("\"x\"", ["If-None-Match": value]) == matches)
    }

    @Test func `only the first 64 elements of Accept-Encoding count`() {
        let others = { Array(repeating: "br", count: $0).joined(separator: ",") }
        #expect(AcceptEncoding.acceptsGzip([others(63) + ",gzip"]))
        #expect(!AcceptEncoding.acceptsGzip([others(64) + ",gzip"]))
        #expect(AcceptEncoding.acceptsGzip([others(32), others(31) + ",gzip"]))
        #expect(!AcceptEncoding.acceptsGzip([others(32), others(32) + ",gzip"]))
        #expect(AcceptEncoding.acceptsGzip(["*," + others(64) + ",gzip;q=0"]))
        #expect(AcceptEncoding.acceptsGzip(Array(repeating: "", count: 63) + ["gzip"]))
        #expect(!AcceptEncoding.acceptsGzip(Array(repeating: "", count: 64) + ["gzip"]))
    }

    @Test(arguments: [0, 1, 7, 8, 9, 31, 32, 33, 64, 71, 100])
    func `depends on every byte, its position and the length`(_ count: Int) {
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
