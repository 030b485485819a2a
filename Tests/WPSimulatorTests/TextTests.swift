// SPDX-License-Identifier: MIT

import Testing
import WPTestKit
import WPTestSupport

@testable import WPSimulator

struct TextTests {
    @Test(arguments: [
        (27.0, 1, "27.0"), (195.4, 0, "195"), (195.5, 0, "196"), (0.04, 1, "0.0"), (0.05, 2, "0.05"), (-0.04, 1, "0.0"),
        (-1.25, 1, "-1.3"), (-12.0, 0, "-12"), (0, 0, "0"), (1.0005, 3, "1.001"), (9.9999, 3, "10.000"),
        (123_456_789.5, 9, "123456789.500000"), (5, -2, "5"), (1e14, 0, "100000000000000"), (1e15, 0, ""),
        (.nan, 1, ""), (.infinity, 0, ""), (-.infinity, 0, ""), (.greatestFiniteMagnitude, 6, ""),
    ])
    func numbersAreWrittenWithFixedDecimals(value: Double, places: Int, text: String) {
        #expect(value.decimal(places) == text)
    }

    @Test func roundTripsControlLatinAndExtremeScalars() throws {
        var text = ""
        for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) + ["\u{FFFE}", "\u{10FFFF}"] {
            text.unicodeScalars.append(scalar)
        }
        let parsed = try JSONValue(parsing: JSON.object([(text, .string(text))]).bytes)
        #expect(parsed == .object([text: .string(text)]))
    }

    @Test func documentsAreWrittenWithoutWhiteSpaceInOrder() {
        let json = JSON.object([
            ("b", .array([.integer(1), .number("2.50"), .bool(true), .bool(false), .null, .array([]), .object([])])),
            ("a", .string("x")),
        ])
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"b":[1,2.50,true,false,null,[],{}],"a":"x"}"#)
    }
}
