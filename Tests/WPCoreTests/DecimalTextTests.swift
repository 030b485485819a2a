// SPDX-License-Identifier: MIT

import Testing
import WPCore

@Suite struct DecimalTextTests {
    private func text(_ value: Float) -> String {
        var bytes: [UInt8] = []
        bytes.appendDecimal(value)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("32767", 32_767), ("32768", nil), ("", nil), ("-1", nil), ("-0", nil), ("+1", nil),
            (" 1", nil), ("1 ", nil), ("1_0", nil), ("1.0", nil), ("0x1", nil), ("a", nil), ("½", nil), ("٣", nil),
            ("1\u{301}", nil), ("１", nil),
        ] as [(String, Int16?)]
    )
    func `parses only ASCII digits`(_ text: String, _ number: Int16?) {
        #expect(Int16(digits: text) == number)
        #expect(Int16(digits: text[...]) == number)
    }

    @Test func `parses digits of another base`() {
        #expect(UInt16(digits: "755", radix: 8) == 0o755 && UInt16(digits: "8", radix: 8) == nil)
    }

    @Test func `formats whole floating-point numbers`() {
        for number in -10_100...10_100 { #expect(text(Float(number)) == String(number)) }
        #expect(text(-0.0) == "0")
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (10, "10"), (0.5, "0.5"), (-12.25, "-12.25"), (0.1, "0.1"),
            (0.001, "0.001"), (9.9999995, "9.999999"), (0.99999994, "0.99999994"), (0.099999994, "0.099999994"),
            (0.0099999999, "0.01"), (0.001234567, "0.001234567"), (999_999.94, "999999.94"), (10_000_000, "10000000"),
            (99.99999, "99.99999"), (9_999_999, "9999999"), (0.01234567, "0.01234567"), (100_000.1, "100000.1"),
            (12_345_678, "12345678"), (1e9, "1e+09"), (1e-7, "1e-07"), (.infinity, "null"), (.nan, "null"),
        ] as [(Float, String)]
    )
    func `formats numbers`(_ value: Float, _ expected: String) {
        #expect(text(value) == expected)
    }

    @Test func `a float round-trips`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator))
            guard value.isNormal else { continue }
            #expect(Float(text(value)) == value)
        }
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (1_234_567_890, "1234567890"), (.max, "9223372036854775807"),
            (.min, "-9223372036854775808"),
        ] as [(Int64, String)]
    )
    func `formats integers`(_ value: Int64, _ expected: String) {
        var bytes: [UInt8] = []
        bytes.appendDecimal(value)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        arguments: [
            (0, "0"), (-3, "-3"), (0.25, "0.25"), (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, "9007199254740992"), (1e300, "1e+300"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"),
            (.nan, "null"), (-.infinity, "null"),
        ] as [(Double, String)]
    )
    func `formats the shortest decimal`(_ value: Double, _ expected: String) {
        var bytes: [UInt8] = []
        bytes.appendDecimal(value)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [(7, 3, "007"), (1234, 3, "234"), (2025, 4, "2025")])
    func `formats the last digits`(_ value: Int, _ digits: Int, _ expected: String) {
        var bytes: [UInt8] = []
        bytes.appendDecimal(value, digits: digits)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }
}
