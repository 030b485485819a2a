// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Terminal output compared with `Snapshots/`. With `RECORD_SNAPSHOTS=1` the files are rewritten, and the test fails so
/// that the variable is not left set.
enum Snapshot {
    static func expect(
        _ lines: [StyledText],
        is name: String,
        width: Int?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for line in lines {
            #expect(line.width <= width ?? .max, "\(line.text)", sourceLocation: sourceLocation)
            #expect(line.width == TerminalText.width(line.text), sourceLocation: sourceLocation)
            #expect(!line.text.contains { $0.isNewline || $0 == "\u{1b}" }, sourceLocation: sourceLocation)
        }
        try expect(lines.map { $0.text + "\n" }.joined(), is: name, sourceLocation: sourceLocation)
    }

    static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots/\(name)")
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try Data(text.utf8).write(to: url)
            Issue.record("recorded \(name); run again without RECORD_SNAPSHOTS", sourceLocation: sourceLocation)
        } else {
            let expected = String(decoding: try Data(contentsOf: url), as: UTF8.self)
            #expect(text == expected, "\(name) differs; RECORD_SNAPSHOTS=1 records it", sourceLocation: sourceLocation)
        }
    }
}
