// SPDX-License-Identifier: MIT

import Testing
import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("JSON documents")
struct JSONDocumentTests {
    @Test func escapesTerminalControlsWithoutChangingValues() throws {
        let texts = ["\u{1b}[2J", "\u{9b}2J", "a\u{202e}b", "\u{2028}", "\u{7f}", "quote \" and \\", "机房\n"]
        let bytes = try JSONDocument.bytes(texts)
        for scalar in String(decoding: bytes.dropLast(), as: UTF8.self).unicodeScalars {
            #expect(
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && scalar.properties.generalCategory != .format
            )
            #expect(scalar.properties.generalCategory != .lineSeparator)
        }
        #expect(try JSONDecoder().decode([String].self, from: Data(bytes)) == texts)
        #expect(bytes.last == 0x0A)
    }
}
