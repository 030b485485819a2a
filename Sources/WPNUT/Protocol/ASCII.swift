// SPDX-License-Identifier: MIT

extension String {
    /// The text with its ASCII capitals in lower case, and all else as it is: the protocol compares ASCII alone.
    var asciiLowercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}
