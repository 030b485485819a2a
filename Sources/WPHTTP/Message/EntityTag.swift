// SPDX-License-Identifier: MIT

/// Creates and compares entity tags (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// The tag of a document, without quotation marks: its 64-bit FNV-1a hash and its length. The hash distinguishes
    /// versions; it is not cryptographic.
    package static func content(of bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16) + "-" + String(bytes.count, radix: 16)
    }

    /// Whether If-None-Match contains a tag or `*`, by weak comparison (section 13.1.2).
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
