// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing
import WPModel
import WPTestKit
import WPTestSupport

@testable import WPClient

@Suite("The check of JSON")
struct JSONSyntaxTests {
    private func fault(_ text: String) -> JSONSyntax.Fault? {
        do {
            try JSONSyntax.check(Array(text.utf8))
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
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONSyntax.Fault.self) { try JSONSyntax.check([0x22] + bytes + [0x22]) }
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
    @Test(
        "agrees with the public suite of JSON texts",
        .enabled(if: PublicSuites.shouldRun("json/test_parsing"), "needs ../shared/suites/json/test_parsing")
    )
    func publicSuite() throws {
        let folder = try PublicSuites.folder("json/test_parsing")
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
                #expect(throws: Never.self, "\(name)") { try JSONSyntax.check(text) }
                #expect(throws: Never.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            case "n_":
                #expect(throws: JSONSyntax.Fault.self, "\(name)") { try JSONSyntax.check(text) }
                #expect(throws: ReplyFault.self, "\(name)") { _ = try decoder.devicePage(reply, time: time) }
            default:
                // Either is right; that it comes back at all is the test.
                _ = try? decoder.devicePage(reply, time: time)
            }
        }
    }
}
