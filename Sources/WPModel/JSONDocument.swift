// SPDX-License-Identifier: MIT

import WPText

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// JSON as the program's endpoints and commands write it.
package enum JSONDocument {
    /// One line of JSON with sorted keys and a line end. Controls (C1 too) and marks that turn the direction of writing
    /// are escaped, because it may be shown on a terminal.
    package static func bytes(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line: [UInt8] = []
        // Outside of strings there is nothing to escape, and what is escaped already stays so.
        line.appendEscaped(String(decoding: try encoder.encode(value), as: UTF8.self), quoted: false)
        line.append(0x0A)
        return line
    }

    /// The same as text.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }
}
