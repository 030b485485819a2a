// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

struct CellWidthTests {
    private func width(_ value: UInt32) throws -> Int {
        TerminalText.width(String(Character(try #require(Unicode.Scalar(value)))))
    }

    /// The bounds of the ranges that are wide, by Unicode Standard Annex 11.
    @Test(
        arguments: [
            0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
        ] as [ClosedRange<UInt32>]
    )
    func eastAsianCharactersAreWide(_ range: ClosedRange<UInt32>) throws {
        #expect(try width(range.lowerBound) == 2)
        #expect(try width(range.upperBound) == 2)
    }

    @Test(
        arguments: [
            0x10FF, 0x2328, 0x232B, 0x2E7F, 0x303F, 0x3040, 0x3248, 0x324F, 0xA4D0, 0xA95F, 0xABFF, 0xD7A4, 0xF8FF,
            0xFB00, 0xFE1A, 0xFE70, 0xFF00, 0xFF61, 0xFFDF, 0xFFE7, 0x16FDF, 0x1B300, 0x1F1E6, 0x1F1FF, 0x2FFFE,
            0x2FFFF,
            0x3FFFE,
        ] as [UInt32]
    )
    func adjacentCharactersAreNarrow(_ value: UInt32) throws {
        #expect(try width(value) == 1)
    }

    @Test func controlsAndMarksHaveNoWidth() throws {
        for value: UInt32 in [0, 0x1F, 0x7F, 0x9F, 0x300, 0x1160, 0x11FF, 0x200B, 0x2028, 0x20DD] {
            #expect(try width(value) == 0, "\(value)")
        }
        for value: UInt32 in [0x20, 0x7E, 0xA0, 0x2FF, 0x1200] { #expect(try width(value) == 1, "\(value)") }
        #expect(try width(0x1F600) == 2)
    }

    @Test(
        arguments: [
            (-1, "", "░░░░"), (0, "", "░░░░"), (0.125, "▌", "░░░"), (0.25, "█", "░░░"), (0.6, "██▌", "░"),
            (0.99, "████", ""), (1, "████", ""), (7, "████", ""), (.nan, "", "░░░░"), (.infinity, "", "░░░░"),
        ] as [(Double, String, String)]
    )
    func barsHaveHalfCells(_ fraction: Double, _ full: String, _ rest: String) {
        let bar = Glyphs.unicode.bar(fraction, width: 4)
        #expect(bar.full == full)
        #expect(bar.rest == rest)
        #expect(Glyphs.unicode.bar(fraction, width: -1).rest.isEmpty)
    }

    @Test(
        arguments: [
            (0, 0, "0"), (0, 2, "0.00"), (0.05, 2, "0.05"), (-0.05, 2, "-0.05"), (1.25, 1, "1.3"), (12.5, 2, "12.50"),
            (-3, 0, "-3"), (1.234_567_89, 9, "1.234568"), (1.5, -1, "2"), (1e300, 1, "1e+300"), (.nan, 1, "nan"),
        ] as [(Double, Int, String)]
    )
    func decimalsAreFixed(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(Decimals.text(value, decimals) == text)
    }
}
