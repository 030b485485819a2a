// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

@Suite struct TextTableTests {
    private static let table = TextTable(
        [
            .init("NAME", minimumWidth: 6), .init("W", .right), .init("V", .right, dropOrder: 2),
            .init("NOTE", minimumWidth: 4, dropOrder: 1),
        ],
        rows: [
            ["UPS 机房一", "1200", "230.1", "Overload"], ["b", "7", "-"],
        ]
    )

    private func shown(_ width: Int?) -> [String] {
        Self.table.lines(width: width).map(\.text)
    }

    @Test func alignsByCells() {
        #expect(
            shown(nil) == [
                "NAME           W      V  NOTE", "UPS 机房一  1200  230.1  Overload", "b              7      -  ",
            ]
        )
    }

    @Test func truncatesBeforeDroppingColumns() {
        #expect(shown(33) == shown(nil))
        #expect(shown(30)[1] == "UPS 机房…  1200  230.1  Overl…")
        #expect(shown(26)[1] == "UPS 机…  1200  230.1  Ove…")
    }

    @Test func dropsColumnsInOrder() {
        #expect(shown(22)[0] == "NAME         W  NOTE")
        #expect(shown(13)[0] == "NAME        W")
        #expect(shown(13)[1] == "UPS 机…  1200")
    }

    @Test(arguments: 1...60)
    func isNeverWiderThanRequested(_ width: Int) {
        for line in Self.table.lines(width: width) { #expect(line.width <= width) }
    }

    @Test func aTableWithoutRowsShowsOnlyItsHeading() {
        #expect(TextTable([.init("A"), .init("B", .right)], rows: []).lines().map(\.text) == ["A  B"])
        #expect(TextTable([], rows: []).lines(width: 5).map(\.text) == [""])
    }

    @Test func headingsAreBold() {
        let heading = TextTable([.init("A")], rows: []).lines()[0]
        #expect(heading == StyledText("A", .bold))
    }
}

@Suite struct GlyphsTests {
    @Test(
        arguments: [
            ([:], Glyphs.ascii), (["LANG": "C"], .ascii), (["LANG": "en_US.UTF-8"], .unicode),
            (["LANG": "de_DE.utf8"], .unicode), (["LANG": "zh_CN.UTF-8"], .ascii),
            (["LC_ALL": "C", "LANG": "en_US.UTF-8"], .ascii),
            (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "ja_JP.UTF-8"], .unicode), (["LANG": "ko_KR.UTF-8"], .ascii),
        ] as [([String: String], Glyphs)]
    )
    func followTheLocale(_ environment: [String: String], _ expected: Glyphs) {
        #expect(Glyphs.supported(by: environment) == expected)
    }

    @Test(
        arguments: [
            (0, "", "░░░░"), (0.5, "██", "░░"), (0.6, "██▌", "░"), (1, "████", ""), (1.7, "████", ""), (-1, "", "░░░░"),
            (.nan, "", "░░░░"),
        ] as [(Double, String, String)]
    )
    func drawBarsInUnicode(_ fraction: Double, _ full: String, _ rest: String) {
        #expect(Glyphs.unicode.bar(fraction, width: 4) == (full, rest))
    }

    @Test func drawBarsInASCII() {
        #expect(Glyphs.ascii.bar(0.6, width: 4) == ("###", "-"))
        #expect(Glyphs.ascii.bar(0.6, width: 0) == ("", ""))
        #expect(Glyphs.ascii.bar(0.6, width: -3) == ("", ""))
    }
}

@Suite struct ExtraColumnTests {
    private let table = TextTable(
        [
            .init("NAME", minimumWidth: 4, comfortableWidth: 8), .init("W", dropOrder: 1),
            .init("ID", dropOrder: 2, isExtra: true),
        ],
        rows: [["a long name indeed", "12", "identifier"]]
    )

    private func row(_ width: Int) -> String {
        table.lines(width: width)[1].text
    }

    @Test func dropsExtraColumnsBeforeOthersFallBelowTheirComfortableWidth() {
        #expect(row(34) == "a long name indeed  12  identifier")
        #expect(row(24) == "a long …  12  identifier")
        #expect(row(23) == "a long name indeed  12")
        #expect(row(8) == "a l…  12")
        #expect(row(7) == "a long…")
    }
}
