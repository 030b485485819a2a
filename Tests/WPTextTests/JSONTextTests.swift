// SPDX-License-Identifier: MIT

import Testing
import WPText

@Suite("Text inside JSON")
struct JSONTextTests {
    @Test(arguments: [
        ("", "\"\""), ("a/b", "\"a/b\""), ("\"\\", "\"\\\"\\\\\""), ("\n\r\t\u{8}\u{0}", "\"\\n\\r\\t\\u0008\\u0000\""),
        ("ü€😀", "\"ü€😀\""), ("\u{2028}", "\"\\u2028\""),
    ])
    func quotesJSON(text: String, quoted: String) {
        #expect(JSONText.quoted(text) == quoted)
    }

    @Test func cutsJSONBetweenCharacters() {
        #expect(JSONText.quoted("aü€", limit: 3) == "\"aü…\"")
        #expect(JSONText.quoted("aü€", limit: 2) == "\"a…\"")
        #expect(JSONText.quoted("aü€", limit: 6) == "\"aü€\"")
    }

    @Test func charactersWithoutWidthAreEscaped() {
        #expect(JSONText.quoted("a\u{200B}b\u{FEFF}c\u{2060}d") == #""a\u200bb\ufeffc\u2060d""#)
        // Joiners are parts of words and of emoji.
        #expect(JSONText.quoted("👩\u{200D}👩") == "\"👩\u{200D}👩\"")
    }
}
