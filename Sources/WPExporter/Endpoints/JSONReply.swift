// SPDX-License-Identifier: MIT

import WPHTTP
import WPModel
import WPText

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
            body: .bytes(try JSONDocument.bytes(value, keys: keys))
        )
    }

    /// RFC 3339, UTC, whole seconds.
    static func time(_ date: Date) -> String {
        RFC3339.string(date)
    }
}
