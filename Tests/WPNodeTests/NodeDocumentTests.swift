// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPHost
@testable import WPNode
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// docs/node.md against the settings. With `RECORD_DOCS=1` the reference is rewritten, and the test fails so that the
/// variable is not left set.
struct NodeDocumentTests {
    private static let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/node.md")

    @Test func referenceShowsTheTable() throws {
        let text = String(decoding: try Data(contentsOf: Self.url), as: UTF8.self)
        let begin = try #require(text.firstRange(of: "<!-- settings:begin"))
        let lineEnd = try #require(text[begin.lowerBound...].firstIndex(of: "\n"))
        let end = try #require(text.firstRange(of: "<!-- settings:end -->"))
        // The rows of individual collectors differ only in the name: one sentence of the page describes them.
        let rows = NodeSettings.table.markdown().split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("| `collectors.") || $0.hasPrefix("| `collectors.disable_defaults`") }
        let wanted = text[...lineEnd] + "\n" + rows.joined(separator: "\n") + "\n" + text[end.lowerBound...]
        if ProcessInfo.processInfo.environment["RECORD_DOCS"] == "1" {
            try Data(wanted.utf8).write(to: Self.url)
            Issue.record("recorded docs/node.md; run again without RECORD_DOCS")
        } else {
            #expect(text == wanted, "docs/node.md differs from the settings; record it with RECORD_DOCS=1")
        }
    }

    @Test func everyCollectorHasARow() throws {
        let text = String(decoding: try Data(contentsOf: Self.url), as: UTF8.self)
        let begin = try #require(text.firstRange(of: "\n## Collectors\n"))
        let end = try #require(text[begin.upperBound...].firstRange(of: "\n## "))
        let rows = text[begin.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
        #expect(names.sorted() == HostCollectorName.allCases.map(\.rawValue).sorted())
        for (name, row) in zip(names, rows) {
            let isOn = HostCollectorName(rawValue: name).map(HostCollectorName.defaults.contains)
            #expect(isOn == !row.contains("off by default"), "\(name)")
        }
    }
}
