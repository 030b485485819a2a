// SPDX-License-Identifier: MIT

import WPCore
package import WPHTTP

/// A coding key whose name is known only at run time.
struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// JSON responses.
package enum JSONReply {
    package static func ok(_ value: some Encodable) throws -> HTTPResponse {
        HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(try JSONDocument.bytes(value))
        )
    }
}
