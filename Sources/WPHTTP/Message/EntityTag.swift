// SPDX-License-Identifier: MIT

/// Entity tags (RFC 9110, section 8.8.3) from the content, and the requests that carry them.
package enum EntityTag {
    /// The text of a tag, without its quotation marks: FNV-1a of 64 bits, over words of eight bytes, and the length. The hash
    /// distinguishes versions of a document; it is not cryptographic.
    ///
    /// Each fourth word goes into a hash of its own, because a processor multiplies for several at a time. In the end the
    /// four, which begin differently so that the place of a word counts, are words themselves.
    package static func content(of bytes: [UInt8]) -> String {
        let hash = bytes.withUnsafeBytes { buffer in
            var lanes = (basis &+ 1, basis &+ 2, basis &+ 3, basis &+ 4)
            var index = 0
            while index + 32 <= buffer.count {
                lanes.0 = mixed(lanes.0, word(buffer, index))
                lanes.1 = mixed(lanes.1, word(buffer, index + 8))
                lanes.2 = mixed(lanes.2, word(buffer, index + 16))
                lanes.3 = mixed(lanes.3, word(buffer, index + 24))
                index += 32
            }
            var hash = mixed(mixed(mixed(mixed(basis, lanes.0), lanes.1), lanes.2), lanes.3)
            while index + 8 <= buffer.count {
                hash = mixed(hash, word(buffer, index))
                index += 8
            }
            for byte in buffer[index...] { hash = (hash ^ UInt64(byte)) &* prime }
            return hash
        }
        return String(hash, radix: 16) + "-" + String(bytes.count, radix: 16)
    }

    // The constants of FNV-1a.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3

    @inline(__always)
    private static func word(_ buffer: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* prime
        return product ^ product >> 29
    }

    /// Whether If-None-Match has a tag, by the weak comparison (section 13.1.2).
    package static func matches(_ tag: String, _ headers: HTTPFields) -> Bool {
        headers.values(of: "If-None-Match").contains { value in
            value.split(separator: ",").contains { part in
                var candidate = part.drop { $0 == " " }
                while candidate.last == " " { candidate.removeLast() }
                if candidate.hasPrefix("W/") { candidate = candidate.dropFirst(2) }
                return candidate == tag || candidate == "*"
            }
        }
    }
}
