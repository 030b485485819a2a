// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPTestKit

@Suite struct SecretTests {
    @Test func isRedactedInEveryDescription() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(["key": secret], to: &dumped)
        #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("hunter2"))
        #expect(secret.reveal() == "hunter2")
    }
}
