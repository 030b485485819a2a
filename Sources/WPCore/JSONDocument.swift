// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// JSON as written by the program's endpoints and commands.
package enum JSONDocument {
    /// One line of JSON with sorted keys and a trailing line feed. Control characters (including C1) and bidirectional
    /// controls are escaped, because the line may be shown on a terminal.
    package static func bytes(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line: [UInt8] = []
        // Nothing outside of strings needs escaping, and existing escapes are kept.
        line.appendEscaped(String(decoding: try encoder.encode(value), as: UTF8.self), quoted: false)
        line.append(0x0A)
        return line
    }

    /// The same line as a string.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }
}
