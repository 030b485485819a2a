// SPDX-License-Identifier: MIT

import Testing
import WPHistory
import WPTestKit

@testable import WPFleet

@Suite struct DecimalTextTests {
    private func text(_ value: Float) -> String {
        var bytes: [UInt8] = []
        DecimalText.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (10, "10"), (0.5, "0.5"), (-12.25, "-12.25"), (0.1, "0.1"),
            (0.001, "0.001"),
            (99.99999, "99.99999"), (9_999_999, "9999999"), (0.01234567, "0.01234567"), (100_000.1, "100000.1"),
            (12_345_678, "12345678"), (1e9, "1000000000"), (1e-7, "1e-07"), (.infinity, "null"), (.nan, "null"),
        ] as [(Float, String)]
    )
    func `numbers`(_ value: Float, _ expected: String) {
        #expect(text(value) == expected)
    }

    @Test func `seven digits are right whatever the number is`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator))
            guard value.isNormal else { continue }
            let read = Double(text(value)) ?? .nan
            #expect(abs(read - Double(value)) <= abs(Double(value)) * 5.1e-7)
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_750_000_000, "2025-06-15T15:06:40Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)]
    )
    func `moments`(_ seconds: Int64, _ expected: String) {
        var bytes: [UInt8] = []
        DecimalText.append(time: seconds, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }
}
