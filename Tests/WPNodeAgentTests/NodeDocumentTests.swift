// SPDX-License-Identifier: MIT

import Testing
import WPConfig

@testable import WPNodeAgent

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reference of the settings in docs/node.md is what the table says. With `RECORD_DOCS=1` it is rewritten, and the
/// test fails so that nobody leaves it on.
struct NodeDocumentTests {
    @Test func theReferenceShowsTheTable() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/node.md")
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let begin = try #require(text.firstRange(of: "<!-- settings:begin"))
        let lineEnd = try #require(text[begin.lowerBound...].firstIndex(of: "\n"))
        let end = try #require(text.firstRange(of: "<!-- settings:end -->"))
        let wanted = text[...lineEnd] + "\n" + NodeSettings.table.markdown() + "\n" + text[end.lowerBound...]
        if ProcessInfo.processInfo.environment["RECORD_DOCS"] == "1" {
            try Data(wanted.utf8).write(to: url)
            Issue.record("recorded docs/node.md; run again without RECORD_DOCS")
        } else {
            #expect(text == wanted, "docs/node.md differs from the settings; record it with RECORD_DOCS=1")
        }
    }
}
