// SPDX-License-Identifier: MIT

import WPLogging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The path of a request as routes are matched against it.
enum HTTPPath {
    /// A path with its percent-encoding undone. Nil when that can't be done safely, so that no route matches: broken
    /// encoding or UTF-8, an encoded slash or control character, or a segment of one or two dots, which another reader
    /// might resolve.
    static func canonical(_ path: Substring) -> String? {
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
        var bytes: [UInt8] = []
        var rest = path.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard
                let high = rest.popFirst().flatMap(hexValue),
                let low = rest.popFirst().flatMap(hexValue)
            else { return nil }
            let value = high << 4 | low
            guard value >= 0x20, value != 0x7F, value != UInt8(ascii: "/") else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The body of an error about a path: `{"error":"not_found","path":"/x","ts":"2026-01-02T03:04:05Z"}`.
    /// - Parameter path: as the peer sent it; cut after 512 bytes.
    static func errorJSON(_ error: String, path: Substring, at time: Date) -> String {
        let quoted = JSONText.quoted(path, maxBytes: 512)
        return
            "{\"error\":\(JSONText.quoted(error)),\"path\":\(quoted),\"ts\":\"\(RFC3339.string(time, fraction: .seconds))\"}"
    }
}
