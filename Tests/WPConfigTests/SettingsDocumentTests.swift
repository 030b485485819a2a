// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Generated documents match the setting table. With `RECORD_DOCS=1` they are rewritten, and the test fails so that the
/// variable is not left set.
@Suite struct SettingsDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_DOCS"] == "1"

    @Test func exampleFileMatchesTheTable() throws {
        try compare("config.example.yaml") { _ in ExporterSettings.exampleFile }
    }

    @Test func referenceMatchesTheTable() throws {
        try compare("docs/configuration.md") { text in
            let begin = try #require(text.firstRange(of: "<!-- settings:begin"))
            let lineEnd = try #require(text[begin.lowerBound...].firstIndex(of: "\n"))
            let end = try #require(text.firstRange(of: "<!-- settings:end -->"))
            return text[...lineEnd] + "\n" + ExporterSettings.table.markdown() + "\n" + text[end.lowerBound...]
        }
    }

    @Test func exampleFileLoadsWithTheDefaults() throws {
        let url = Self.root.appending(path: "config.example.yaml")
        let loaded = try SettingsLoader(ExporterSettings.table, environment: [:]).load(configPath: url.path)
        for effective in loaded.effective {
            let setting = try #require(ExporterSettings.table.setting(effective.key))
            guard !setting.isRequired else { continue }
            #expect(effective.value == setting.defaultText, "\(setting.key)")
        }
        #expect(loaded.settings.winpower.target != nil)
    }

    private func compare(_ path: String, with expected: (String) throws -> String) throws {
        let url = Self.root.appending(path: path)
        let text = (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let wanted = try expected(text)
        if Self.isRecording {
            try Data(wanted.utf8).write(to: url)
            Issue.record("recorded \(path); run again without RECORD_DOCS")
        } else {
            #expect(text == wanted, "\(path) differs from the setting table; record it with RECORD_DOCS=1")
        }
    }
}
