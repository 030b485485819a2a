// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing
import WPModel
import WPTestSupport

@testable import WPClient

@Suite("The reader of JSON")
struct JSONReaderTests {
    private func check(_ bytes: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(bytes)
        try reader.skipValue()
        try reader.finish()
    }

    private func fault(_ text: String) -> JSONFault? {
        do {
            try check(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "accepts each kind of value",
        arguments: [
            "{}", "[]", "0", "-0", "10", "1.5", "-1.25E+3", "1e-7", #""""#, #""a\"\\\/\b\f\n\r\tA€""#, "true",
            "false", "null", " [ 1 , { \"a\" : [ ] } ]\r\n\t",
        ]
    )
    func accepted(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "names what is wrong, and where",
        arguments: [
            ("", "it ends too early", 0), ("[", "it ends too early", 1), ("[1", "a comma or a closing bracket", 2),
            ("[1,]", "a value is missing", 3), ("{\"a\":1,}", "a key is missing", 7), ("{\"a\" 1}", "a colon", 5),
            ("01", "something follows", 1), ("1.", "a digit", 2), ("-", "a digit", 1), ("1e+", "a digit", 3),
            ("nul", "a value", 3), ("\"a", "it ends within a string", 2), ("\"\u{1}\"", "a control character", 1),
            (#""\q""#, "an escape in a string is unknown", 2), (#""\u12g4""#, "an escape in a string is", 5),
            ("{} x", "something follows", 3), ("\u{0}", "a value", 0), ("1\u{0}", "something follows", 1),
            ("[1}", "a comma or a closing bracket", 2),
        ]
    )
    func refused(text: String, problem: String, offset: Int) throws {
        let fault = try #require(self.fault(text))
        #expect(fault.problem.hasPrefix(problem), "\(fault)")
        #expect(fault.offset == offset)
    }

    @Test("refuses bytes that are not UTF-8 wherever they stand")
    func notUTF8() {
        let sequences: [[UInt8]] = [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
            [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF5, 0x80, 0x80, 0x80],
        ]
        for bytes in sequences {
            #expect(String(validating: bytes, as: UTF8.self) == nil)
            #expect(throws: JSONFault.self) { try check([0x22] + bytes + [0x22]) }
        }
    }

    @Test("reads every character of UTF-8, and every escape, as what it is")
    func characters() throws {
        for text in ["a", "é", "ࠀ", "电", "\u{D7FF}", "\u{E000}", "😀", "\u{10FFFF}", "é电😀"] {
            var reader = JSONReader(Array("\"\(text)\"".utf8))
            #expect(try reader.readText() == text)
            try reader.finish()
        }
        let escapes = [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0041\u00e9\u7535"#, "Aé电"),
            (#"x\uD83D\uDE00y"#, "x😀y"), (#"\ud800"#, nil), (#"\udc00"#, nil), (#"\ud800\u0041"#, nil),
            (#"\ud800x"#, nil),
        ]
        for (text, value) in escapes {
            var reader = JSONReader(Array("\"\(text)\"".utf8))
            #expect(try reader.readText() == value, "\(text)")
        }
    }

    @Test("reads numbers as Double itself does")
    func numbers() throws {
        var texts = ["0", "-0", "1", "195", "81.4", "0.1", "123456789012345", "1234567890123456", "0.000000000000001"]
        texts += ["1e3", "1.5E-7", "-2.5", "9007199254740993", "0.30000000000000004", "4.35", "12345678.9012345"]
        texts += (0..<500).map { String(Double($0) * 0.37) }
        for text in texts {
            var reader = JSONReader(Array("[\(text),\"\(text)\"]".utf8))
            _ = try reader.enterArray()
            for _ in 0..<2 {
                #expect(try reader.nextElement())
                #expect(try reader.readNumber() == Double(text), "\(text)")
            }
        }
    }

    @Test("finds fields by their names, escaped or not, and no others")
    func fieldNames() throws {
        let table = FieldTable<RealtimeField>()
        for field in RealtimeField.allCases {
            let name = field.rawValue
            let escaped = #"\u00"# + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
            for (text, expected) in [
                (name, field), (escaped, field), (name + "x", nil), (String(name.dropLast()), nil),
            ] {
                var reader = JSONReader(Array(#"{"\#(text)":1}"#.utf8))
                _ = try reader.enterObject()
                let key = try #require(try reader.nextKey())
                #expect(table.field(key, in: reader) == expected)
            }
        }
    }

    @Test("refuses what is nested too deeply, in whatever depth, without running out of stack")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(fault(nested(64)) == nil)
        #expect(fault(nested(65))?.problem == "it is nested deeper than 64 levels")
        #expect(fault(nested(100_000)) != nil)
        #expect(fault(String(repeating: "[", count: 1_000_000)) != nil)
        #expect(fault(String(repeating: #"{"a":"#, count: 100_000)) != nil)
    }

    /// Each text of JSONTestSuite as a whole reply, and as a field of a reply that is good otherwise.
    @Test("agrees with the public suite of JSON texts")
    func publicSuite() throws {
        guard let folder = try PublicSuites.folder("json/test_parsing") else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.count > 300)
        let decoder = ReplyDecoder()
        let time = TestClock().timeSource.now
        for name in names {
            let text = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
            let reply = Array(#"{"code":"000000","total":0,"data":[],"more":"#.utf8) + text + Array("}".utf8)
            // No text of the suite is a reply of this API, so as a whole each must be refused.
            #expect(throws: ReplyFault.self, "\(name)") { try decoder.devicePage(text, time: time) }
            #expect(throws: ReplyFault.self, "\(name)") { try decoder.token(text) }
            switch name.prefix(2) {
            case "y_":
                #expect(throws: Never.self, "\(name)") { try check(text) }
                #expect(throws: Never.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            case "n_":
                #expect(throws: JSONFault.self, "\(name)") { try check(text) }
                #expect(throws: ReplyFault.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            default:
                // Either is right; that it comes back at all is the test.
                _ = try? decoder.devicePage(reply, time: time)
            }
        }
    }
}
