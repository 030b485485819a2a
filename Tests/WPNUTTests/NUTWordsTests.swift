// SPDX-License-Identifier: MIT

import Testing

@testable import WPNUT

@Suite("NUT words")
struct NUTWordsTests {
    @Test(arguments: [
        ("", []), ("   ", []), ("VER", ["VER"]), ("GET VAR u  v\t", ["GET", "VAR", "u", "v"]), ("a\r", ["a"]),
        (#"USERNAME "a b""#, ["USERNAME", "a b"]), (#"x "a \"b\" \\""#, ["x", #"a "b" \"#]), (#"a\ b"#, ["a b"]),
        (#"x """#, ["x", ""]), ("VER # all", ["VER"]), ("#VER", ["#VER"]), ("a#b", ["a#b"]), (#""a"b"#, ["ab"]),
    ])
    func splitsAtSpacesOutsideQuotes(line: String, words: [String]) throws {
        #expect(try NUTWords.split(line.utf8) == words)
    }

    @Test(arguments: [#"""#, #"GET "a"#, #"a\"#, #"a "b\"#])
    func rejectsUnterminatedQuotesAndEscapes(line: String) {
        #expect(throws: NUTWords.Malformed.self) { try NUTWords.split(line.utf8) }
    }

    @Test func rejectsTooManyWords() {
        let line = Array(repeating: "a", count: NUTWords.maxCount + 1).joined(separator: " ")
        #expect(throws: NUTWords.Malformed.self) { try NUTWords.split(line.utf8) }
    }

    @Test func acceptsInvalidUTF8() throws {
        #expect(try NUTWords.split([0x41, 0xFF, 0x20, 0x42]).count == 2)
    }

    @Test func quotesStringsOnOneLine() throws {
        #expect(NUTWords.quote("a \"b\" \\ c\nd\u{7F}") == #""a \"b\" \\ c d ""#)
        #expect(try NUTWords.split(NUTWords.quote(#"机房 "1" \"#).utf8) == [#"机房 "1" \"#])
    }
}
