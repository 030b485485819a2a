// SPDX-License-Identifier: MIT

import Testing

@testable import WPTerminal

@Suite("CSV")
struct CSVTextTests {
    @Test func quotesCommasAndQuotationMarks() {
        #expect(CSVText.line(["a", "", "b,c", #"d"e"#, "f g"]) == "a,,\"b,c\",\"d\"\"e\",f g\r\n")
    }

    @Test(arguments: ["\u{1b}[2J", "\u{9b}2J", "\u{202e}", "a\r\nb", "\u{7}"])
    func escapesTerminalControls(text: String) {
        let line = CSVText.line([text])
        #expect(line.hasSuffix("\r\n"))
        #expect(line.dropLast(1).unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }, "\(line)")
        #expect(line.contains(#"\u{"#))
    }

    @Test(
        arguments: ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "  =1", "=HYPERLINK(\"http://x\",\"y\")", "-", "=\u{1b}"]
    )
    func escapesFormulas(text: String) {
        #expect(CSVText.line([text]).hasPrefix("'") || CSVText.line([text]).hasPrefix("\"'"))
    }

    @Test(arguments: ["-1.5", "+2", "0", "1e-05", "-0.0"])
    func doesNotEscapeNumbers(text: String) {
        #expect(CSVText.line([text]) == text + "\r\n")
    }
}
