// SPDX-License-Identifier: MIT

import WPLogging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Strings that break naive log formats.
enum HostileText {
    static let all: [String] = [
        "", " ", "a b", "\"", "\\", "\\\"", "a=b", "{}", "line\nline\r\n", "\t\u{0B}\u{0C}\u{08}", "\u{0}nul\u{0}",
        "\u{1B}[2J\u{1B}]0;title\u{07}", "\u{7F}", "\u{80}\u{9B}31m\u{9F}", "\u{A0}ok\u{C0}", "\u{2028}\u{2029}",
        "\u{202A}\u{202E}gpj.exe\u{202C}", "\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}", "机房一", "🔋👩‍👩‍👧", "e\u{301}",
        "\u{FFFD}\u{FFFF}\u{10FFFF}", "</script>", "%s%n%x", String(repeating: "\u{1}", count: 300),
        String((0..<0x3000).compactMap { Unicode.Scalar($0).map(Character.init) }),
    ]

    /// Whether all scalars of the line may reach a terminal, except for the final line feed.
    static func isHarmless(_ line: String) -> Bool {
        line.dropLast().unicodeScalars.allSatisfy { scalar in
            let category = scalar.properties.generalCategory
            return category != .control && category != .lineSeparator && category != .paragraphSeparator
                && !scalar.properties.isBidiControl
        }
    }
}

extension LogFormatter {
    func text(_ record: LogRecord) -> String {
        var bytes: [UInt8] = []
        append(record, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LogRecord {
    /// A record of 2025-06-15T15:06:40.123Z.
    static func sample(
        _ level: LogLevel = .info,
        _ message: String = "Device data collected",
        _ fields: LogFields = [:]
    ) -> LogRecord {
        LogRecord(
            time: Date(timeIntervalSince1970: 1_750_000_000.123),
            level: level,
            message: message,
            fields: fields,
            caller: Caller(fileID: "WPCollector/Collector.swift", line: 12)
        )
    }
}
