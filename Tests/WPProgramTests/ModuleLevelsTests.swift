// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPProgram

@Suite struct ModuleLevelsTests {
    private static let levels = ModuleLevels(["server", "client", "http", "collector", "pump.Motor"])

    @Test(arguments: [
        ("", ""), (" ", ""), ("client=debug", "client=debug"),
        ("server=WARN, client = debug", "client=debug,server=warn"),
        ("pump.motor=debug,HTTP=error", "http=error,pump.Motor=debug"),
    ])
    func parsesModulesAndLevels(_ text: String, _ shown: String) throws {
        #expect(try ModuleLevels.text(Self.levels.parse(text)) == shown)
    }

    @Test(arguments: [
        ("clint=debug", "did you mean client?"),
        ("x=debug", "the modules are client, collector, http, pump.Motor, server"),
        ("client=loud", "the levels are debug, info, warn and error"), ("client", "each part must be MODULE=LEVEL"),
        ("client=debug,", "each part must be MODULE=LEVEL"), ("client=debug=x", "each part must be MODULE=LEVEL"),
        ("client=debug,client=info", "client is given twice"),
    ])
    func rejectsInvalidLevels(_ text: String, _ expected: String) {
        let error = #expect(throws: ModuleLevels.Malformed.self) { try Self.levels.parse(text) }
        #expect(error?.description.contains(expected) == true)
    }
}
