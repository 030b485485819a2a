// SPDX-License-Identifier: MIT

import Testing
import WPCore

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("%41%42c", "ABc"), ("%c3%BC", "ü"), ("a+b", "a+b"), ("%2B", "+"), ("%25%34%31", "%41"),
        ("%4A%4F%4a%4f%30%39", "JOJO09"),
    ])
    func decodesEscapedBytes(encoded: String, text: String) {
        #expect(PercentEncoding.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func decodesFields() {
        #expect(PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == Array("a b+".utf8))
    }

    @Test(arguments: ["%", "%4", "%zz", "%4z", "a%", "%%41", "%+1", "% 1"])
    func rejectsInvalidEncodings(encoded: String) {
        #expect(PercentEncoding.decode(encoded.utf8) == nil)
    }
}
