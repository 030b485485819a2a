// SPDX-License-Identifier: MIT

import Testing
import WPModel

@testable import WPClient

@Suite("A log-in's reply")
struct LoginReplyTests {
    private func token(_ body: String) throws -> String {
        try ReplyDecoder().token(Array(body.utf8)).reveal()
    }

    @Test("holds the token")
    func token() throws {
        #expect(try token(Samples.login(token: "aaa.bbb.ccc")) == "aaa.bbb.ccc")
        #expect(try token(#"{"code":"000000","msg":"OK","data":{"token":"t"}}"#) == "t")
    }

    @Test("holds a token up to the largest that a header may have")
    func largest() throws {
        let text = "!" + String(repeating: "x", count: 16_382) + "~"
        #expect(try token(Samples.login(token: text)) == text)
    }

    @Test(
        "without a usable token is no log-in",
        arguments: [
            #""data":{}"#, #""data":null"#, #""data":"token""#, #""data":{"token":null}"#, #""data":{"token":""}"#,
            #""data":{"token":5}"#, #""data":{"token":"a\r\nX: y"}"#, #""data":{"token":"a b"}"#,
            #""data":{"token":"é"}"#, #""data":{"token":"\#(String(repeating: "x", count: 16_385))"}"#, #""x":1"#,
        ]
    )
    func noToken(rest: String) {
        let fault = #expect(throws: ReplyFault.self) { try token(#"{"code":"000000",\#(rest)}"#) }
        guard case .unexpected = fault else {
            Issue.record("expected an unexpected reply, not \(String(describing: fault))")
            return
        }
    }
}
