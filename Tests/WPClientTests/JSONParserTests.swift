// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing
@testable import WPClient
import WPCore
import WPModel
import WPTestKit
import WPTestSupport

@Suite("JSON parser")
struct JSONParserTests {
    private func fault(_ text: String) -> JSONParser.Fault? {
        do {
            _ = try JSONParser.parse(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            "{}", "[]", "0", "-0", "10", "1.5", "-1.25E+3", "1e-7", #""""#, #""a\"\\\/\b\f\n\r\tA€""#, "true",
            "false", "null", " [ 1 , { \"a\" : [ ] } ]\r\n\t",
        ]
    )
    func acceptsEveryKindOfValue(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        arguments: [
            ("", "it ends too early", 0), ("[", "it ends too early", 1), ("[1", "a comma or a closing bracket", 2),
            ("[1,]", "a value is missing", 3), ("{\"a\":1,}", "a key is missing", 7), ("{\"a\" 1}", "a colon", 5),
            ("01", "unexpected text", 1), ("1.", "a digit", 2), ("-", "a digit", 1), ("1e+", "a digit", 3),
            ("nul", "a value", 3), ("\"a", "it ends within a string", 2), ("\"\u{1}\"", "a control character", 1),
            (#""\q""#, "an escape in a string is unknown", 2), (#""\u12g4""#, "an escape in a string is", 5),
            ("{} x", "unexpected text", 3), ("\u{0}", "a value", 0), ("1\u{0}", "unexpected text", 1),
            ("[1}", "a comma or a closing bracket", 2),
        ]
    )
    func reportsErrorsWithTheirPosition(text: String, problem: String, offset: Int) throws {
        let fault = try #require(self.fault(text))
        #expect(fault.problem.hasPrefix(problem), "\(fault)")
        #expect(fault.offset == offset)
    }

    private func text(_ bytes: [UInt8]) throws -> (String?, isRepaired: Bool) {
        let (value, isRepaired) = try JSONParser.parse(bytes)
        guard case .text(let text) = value else { return (nil, isRepaired) }
        return (text, isRepaired)
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\tA€""#, "a\"\\/\u{8}\u{C}\n\r\tA€"), (#""\u0041\u00e9\u4E2D""#, "Aé中"),
            (#""x\ud83d\ude00y""#, "x😀y"), (#""\u0000""#, "\0"), ("\"电池\"", "电池"),
        ]
    )
    func unescapesStrings(json: String, expected: String) throws {
        let (text, isRepaired) = try text(Array(json.utf8))
        #expect(text == expected && !isRepaired)
    }

    @Test func repairsInvalidUnicodeInStringsAndReportsIt() throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            let (text, isRepaired) = try text([0x22, 0x61] + bytes + [0x22])
            #expect(text?.first == "a" && text?.last == "\u{FFFD}" && isRepaired)
        }
        for json in [#""a\ud800""#, #""a\udc00""#, #""a\ud800\ud800""#] {
            let (text, isRepaired) = try text(Array(json.utf8))
            #expect(text?.first == "a" && text?.last == "\u{FFFD}" && isRepaired)
        }
        #expect(try text(Array(#""\ud800\n\ud800x""#.utf8)).0 == "\u{FFFD}\n\u{FFFD}x")
    }

    @Test func rejectsInvalidUTF8OutsideStrings() {
        #expect(throws: JSONParser.Fault(problem: "it is not UTF-8", offset: nil)) {
            _ = try JSONParser.parse([0x5B, 0xFF, 0x5D])
        }
    }

    @Test func limitsTheDepthWithoutOverflowingTheStack() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(fault(nested(64)) == nil)
        #expect(fault(nested(65))?.problem == "it is nested deeper than 64 levels")
        #expect(fault(nested(100_000)) != nil)
        #expect(fault(String(repeating: "[", count: 1_000_000)) != nil)
        #expect(fault(String(repeating: #"{"a":"#, count: 100_000)) != nil)
    }

    /// Each text of JSONTestSuite as a complete reply, and as a field of an otherwise valid reply.
    @Test(
        .enabled(if: PublicSuites.shouldRun("json/test_parsing"), "needs ../shared/suites/json/test_parsing")
    )
    func agreesWithThePublicTestSuite() throws {
        let folder = try PublicSuites.folder("json/test_parsing")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.count > 300)
        let decoder = ReplyDecoder()
        let time = TestClock().timeSource.now
        for name in names {
            let text = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
            let reply = Array(#"{"code":"000000","total":0,"data":[],"more":"#.utf8) + text + Array("}".utf8)
            // No text of the suite is a valid reply of this API, so each must be rejected as a complete reply.
            #expect(throws: ReplyFault.self, "\(name)") { try decoder.devicePage(text, time: time) }
            #expect(throws: ReplyFault.self, "\(name)") { try decoder.token(text) }
            switch name.prefix(2) {
            case "y_":
                #expect(throws: Never.self, "\(name)") { _ = try JSONParser.parse(text) }
                #expect(throws: Never.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            case "n_":
                #expect(throws: JSONParser.Fault.self, "\(name)") { _ = try JSONParser.parse(text) }
                #expect(throws: ReplyFault.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            default:
                // Both results are valid; the test is that the call returns.
                _ = try? decoder.devicePage(reply, time: time)
            }
        }
    }
}
