// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPModel

@Suite("Login replies")
struct LoginReplyTests {
    private func token(_ body: String) throws -> String {
        try ReplyDecoder().token(Array(body.utf8)).reveal()
    }

    @Test func returnsTheToken() throws {
        #expect(try token(Samples.login(token: "aaa.bbb.ccc")) == "aaa.bbb.ccc")
        #expect(try token(#"{"code":"000000","msg":"OK","data":{"token":"t"}}"#) == "t")
    }

    @Test func acceptsATokenUpToTheHeaderLimit() throws {
        let text = "!" + String(repeating: "x", count: 16_382) + "~"
        #expect(try token(Samples.login(token: text)) == text)
    }

    @Test(
        arguments: [
            #""data":{}"#, #""data":null"#, #""data":"token""#, #""data":{"token":null}"#, #""data":{"token":""}"#,
            #""data":{"token":5}"#, #""data":{"token":"a\r\nX: y"}"#, #""data":{"token":"a b"}"#,
            #""data":{"token":"é"}"#, #""data":{"token":"\#(String(repeating: "x", count: 16_385))"}"#, #""x":1"#,
        ]
    )
    func rejectsAReplyWithoutAUsableToken(rest: String) {
        let fault = #expect(throws: ReplyFault.self) { try token(#"{"code":"000000",\#(rest)}"#) }
        guard case .unexpected = fault else {
            Issue.record("expected an unexpected reply, not \(String(describing: fault))")
            return
        }
    }

    @Test func distinguishesADamagedReplyFromRejectedCredentials() throws {
        func fault(_ body: [UInt8]) -> ReplyFault? {
            #expect(throws: ReplyFault.self) { try ReplyDecoder().token(body) }
        }
        let code = Array(#"{"code":"0000"#.utf8) + [0xC0, 0xAF] + Array(#"","data":{"token":"t"}}"#.utf8)
        #expect(fault(code) == .unexpected("its code is not UTF-8"))
        let words = Array(#"{"code":"100004","msg":""#.utf8) + [0xC3, 0xDC, 0xC2] + Array(#""}"#.utf8)
        #expect(fault(words) == .application(code: "100004", text: "\u{FFFD}\u{FFFD}\u{FFFD}"))
    }
}
