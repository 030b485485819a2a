// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

@Suite struct StyledTextTests {
    private let text = StyledText("line ", TextStyle(.green)) + StyledText("机房", .dim) + " end"

    @Test func hasAWidthAndText() {
        #expect(text.width == 13)
        #expect(text.text == "line 机房 end")
        #expect(StyledText("a", .bold) + StyledText("b", .bold) == StyledText("ab", .bold))
        #expect(StyledText("") + "x" == "x")
    }

    @Test func containsNoControlSequences() {
        let hostile = StyledText("\u{1b}]0;title\u{7}")
        #expect(hostile.rendered(withStyles: true) == #"\u{1b}]0;title\u{7}"#)
    }

    @Test func writesStylesOnlyIfSupported() {
        #expect(text.rendered(withStyles: false) == "line 机房 end")
        #expect(text.rendered(withStyles: true) == "\u{1b}[32mline \u{1b}[0m\u{1b}[2m机房\u{1b}[0m end")
        #expect(StyledText("x", TextStyle(.red, isBold: true)).rendered(withStyles: true) == "\u{1b}[1;31mx\u{1b}[0m")
        #expect(text.styled(.plain).rendered(withStyles: true) == "line 机房 end")
    }

    @Test(arguments: [
        (13, "line 机房 end"), (12, "line 机房 e…"), (9, "line 机…"), (8, "line 机…"), (7, "line …"), (1, "…"), (0, ""),
    ])
    func truncatesToTheWidth(_ width: Int, _ shown: String) {
        let cut = text.cut(to: width, mark: "…")
        #expect(cut.text == shown)
        #expect(cut.width == TerminalText.width(shown) && cut.width <= width)
    }

    @Test func isPaddedByCells() {
        #expect(StyledText("机").padded(to: 4).text == "机  ")
        #expect(StyledText("机").padded(to: 4, .right).text == "  机")
        #expect(StyledText("long").padded(to: 2).text == "long")
    }
}
