// SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Decodes a string; nil if a percent sign is not followed by two hexadecimal digits.
    /// - Parameter plusIsSpace: whether a plus sign is a space, as in form fields.
    package static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }
}
