// SPDX-License-Identifier: MIT

extension String {
    /// The text with ASCII letters in lower case: the protocol ignores only the case of ASCII letters.
    var asciiLowercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}
