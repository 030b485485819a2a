// SPDX-License-Identifier: MIT

import WPCore

/// The path of a request in the form matched by routes.
package enum HTTPPath {
    /// The percent-decoded path; nil if decoding is unsafe, so that no route matches: invalid encoding or UTF-8, an
    /// encoded slash or control character, or a segment of one or two dots, which another parser might resolve.
    package static func canonical(_ path: Substring) -> String? {
        let decoded: String
        if path.utf8.contains(UInt8(ascii: "%")) {
            guard let text = decode(path) else { return nil }
            decoded = text
        } else {
            decoded = String(path)
        }
        guard
            decoded.utf8.contains(UInt8(ascii: ".")) == false
                || !decoded.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
        return decoded
    }

    private static func decode(_ path: Substring) -> String? {
        let slash = UInt8(ascii: "/")
        guard
            let bytes = PercentEncoding.decode(path.utf8),
            // A path can contain control characters only in encoded form. An encoded slash is not allowed.
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            bytes.count(where: { $0 == slash }) == path.utf8.count(where: { $0 == slash })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
