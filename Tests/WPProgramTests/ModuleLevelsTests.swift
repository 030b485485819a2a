// SPDX-License-Identifier: MIT

import Testing
import WPProgram

@Suite struct ModuleLevelsTests {
    @Test(arguments: [
        ("", ""), (" ", ""), ("client=debug", "client=debug"),
        ("server=WARN, client = debug", "client=debug,server=warn"),
        ("queries=debug,push=warn,postgres=error", "postgres=error,push=warn,queries=debug"),
    ])
    func parsesModulesAndLevels(_ text: String, _ shown: String) throws {
        #expect(try ModuleLevels(text).description == shown)
    }

    @Test(arguments: [
        ("clint=debug", "did you mean client?"), ("x=debug", "the modules are client, collector"),
        ("client=loud", "the levels are debug, info, warn and error"), ("client", "each part must be MODULE=LEVEL"),
        ("client=debug,", "each part must be MODULE=LEVEL"), ("client=debug=x", "each part must be MODULE=LEVEL"),
        ("client=debug,client=info", "client is given twice"),
    ])
    func rejectsInvalidLevels(_ text: String, _ expected: String) {
        let error = #expect(throws: ModuleLevels.Malformed.self) { try ModuleLevels(text) }
        #expect(error?.description.contains(expected) == true)
    }
}
