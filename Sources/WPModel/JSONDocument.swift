// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// JSON as the program's endpoints and commands write it.
package enum JSONDocument {
    /// One line of JSON with sorted keys and a line end.
    package static func bytes(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value)) + [0x0A]
    }

    /// The same as text.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }
}
