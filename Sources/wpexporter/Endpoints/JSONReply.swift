// SPDX-License-Identifier: MIT

import WPHTTP
import WPLogging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON as the endpoints answer it.
enum JSONReply {
    static func ok(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> HTTPResponse {
        HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(try bytes(value, keys: keys))
        )
    }

    /// One line of JSON with sorted keys and a line end.
    static func bytes(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value)) + [0x0A]
    }

    /// RFC 3339, UTC, whole seconds.
    static func time(_ date: Date) -> String {
        RFC3339.string(date)
    }
}
