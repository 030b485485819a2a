// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

@Suite struct TerminalTextTests {
    @Test(
        arguments: [
            ("", 0), ("UPS-1", 5), ("机房一", 6), ("UPS 机房", 8), ("サーバー", 8), ("ｻｰﾊﾞｰ", 5), ("한국", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("é", 1), ("e\u{301}", 1), ("ü°×…█", 5), ("😀", 2), ("⚠", 1), ("⌚", 2),
            ("🇨🇳", 2), ("ＡＢ", 4), ("、。「」", 8), ("\u{20000}", 2), ("①Ω", 2), ("\t\u{1b}\u{7f}\u{85}", 0), ("ก็", 1),
        ] as [(String, Int)]
    )
    func measuresCells(_ text: String, _ width: Int) {
        #expect(TerminalText.width(text) == width)
    }

    @Test(
        arguments: [
            ("plain", "plain"), ("机房 é", "机房 é"),
            ("\u{1b}[2J", #"\u{1b}[2J"#), ("a\nb\tc\r", #"a\u{a}b\u{9}c\u{d}"#), ("\u{9b}31m", #"\u{9b}31m"#),
            ("\u{202e}abc", #"\u{202e}abc"#), ("\u{2028}", #"\u{2028}"#), ("\u{e000}", #"\u{e000}"#),
            ("👩‍💻", "👩💻"), ("⚠\u{fe0f}", "⚠"), ("👍🏽", "👍"), ("\u{feff}x", #"\u{feff}x"#),
        ] as [(String, String)]
    )
    func escapesTextThatMovesTheCursor(_ text: String, _ shown: String) {
        #expect(TerminalText.printable(text) == shown)
        #expect(TerminalText.printable(shown) == shown)
    }

    @Test func truncatesBetweenCharacters() {
        #expect(TerminalText.prefix("abc", width: 2) == ("ab", 2))
        #expect(TerminalText.prefix("机房", width: 3) == ("机", 2))
        #expect(TerminalText.prefix("e\u{301}x", width: 1) == ("e\u{301}", 1))
        #expect(TerminalText.prefix("机", width: 1) == ("", 0))
        #expect(TerminalText.prefix("abc", width: -1) == ("", 0))
    }

    @Test func wrapsAtSpacesAndWithinLongWords() {
        #expect(TerminalText.wrap("one two three", width: 7) == ["one two", "three"])
        #expect(TerminalText.wrap("abcdefgh ij", width: 3) == ["abc", "def", "gh", "ij"])
        #expect(TerminalText.wrap("机房服务器 a", width: 5) == ["机房", "服务", "器 a"])
        #expect(TerminalText.wrap("   ", width: 5) == [])
        #expect(TerminalText.wrap("机", width: 0) == ["机"])
    }

    @Test func noLineOfAWrappedTextIsTooWide() {
        var generator = SystemRandomNumberGenerator()
        let letters: [Character] = ["a", " ", "机", "e\u{301}", "ｱ", "😀", "-"]
        for _ in 0..<200 {
            let text = String((0..<60).map { _ in letters.randomElement(using: &generator) ?? "x" })
            let width = Int.random(in: 2...20, using: &generator)
            let lines = TerminalText.wrap(text, width: width)
            #expect(lines.allSatisfy { TerminalText.width($0) <= width }, "\(text) in \(width)")
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " }, "\(text) in \(width)")
        }
    }
}

@Suite struct DecimalsTests {
    @Test(
        arguments: [
            (1.25, 1, "1.3"), (0.0004, 3, "0.000"), (-1.5, 0, "-2"), (195, 0, "195"), (0.05, 2, "0.05"),
            (1e300, 0, "1e+300"),
            (.infinity, 2, "inf"), (12.3456789, 9, "12.345679"), (12.5, -1, "13"),
        ] as [(Double, Int, String)]
    )
    func writesAFixedCount(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(Decimals.text(value, decimals) == text)
    }
}
