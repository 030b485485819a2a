// SPDX-License-Identifier: MIT

import Testing
import WPCore

@Suite("JSON text")
struct JSONTextTests {
    @Test(arguments: [
        ("", "\"\""), ("a/b", "\"a/b\""), ("\"\\", "\"\\\"\\\\\""), ("\n\r\t\u{8}\u{0}", "\"\\n\\r\\t\\u0008\\u0000\""),
        ("ü€😀", "\"ü€😀\""), ("\u{2028}", "\"\\u2028\""),
    ])
    func quotesJSON(text: String, quoted: String) {
        #expect(JSONText.quoted(text) == quoted)
    }

    @Test func truncatesJSONBetweenCharacters() {
        #expect(JSONText.quoted("aü€", limit: 3) == "\"aü…\"")
        #expect(JSONText.quoted("aü€", limit: 2) == "\"a…\"")
        #expect(JSONText.quoted("aü€", limit: 6) == "\"aü€\"")
        #expect(JSONText.quoted("ü", limit: 1) == "\"…\"")
        #expect(JSONText.quoted("ü", limit: 0) == "\"…\"")
        #expect(JSONText.quoted("ü", limit: -1) == "\"…\"")
    }

    @Test func escapesExactlyTheInvisibleCharacters() throws {
        var escaped: [UInt32] = []
        for value: UInt32 in 0..<0x1_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            if JSONText.quoted(text) != "\"\(text)\"" { escaped.append(value) }
        }
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x22...0x22, 0x5C...0x5C, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200B, 0x200E...0x200F,
            0x2028...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF...0xFEFF,
        ]
        #expect(escaped == ranges.flatMap { Array($0) })
        #expect(JSONText.quoted("\u{61C}\u{9F}\u{2069}") == #""\u061c\u009f\u2069""#)
    }

    @Test func escapesZeroWidthCharacters() {
        #expect(JSONText.quoted("a\u{200B}b\u{FEFF}c\u{2060}d") == #""a\u200bb\ufeffc\u2060d""#)
        // Joiners are parts of words and of emoji.
        #expect(JSONText.quoted("👩\u{200D}👩") == "\"👩\u{200D}👩\"")
    }
}
