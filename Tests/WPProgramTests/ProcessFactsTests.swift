// SPDX-License-Identifier: MIT

import Testing
@testable import WPProgram

@Suite struct ProcessFactsTests {
    @Test func parsesProcFiles() throws {
        let kinds = [
            "socket:[1]": "socket", "/dev/null": "device", "/var/x": "file", "anon_inode:[eventpoll]": "eventpoll",
        ]
        for (link, kind) in kinds { #expect(ProcessFacts.kind(link) == kind) }
        #expect(ProcessFacts(root: "/nowhere").threadCount == nil)
    }
}
