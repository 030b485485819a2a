// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPTestKit
import WPTestSupport

@Suite struct JSONLogFormatterTests {
    private let formatter = JSONLogFormatter()

    @Test func writesOneLine() {
        let record = LogRecord.sample(
            .info,
            "Device data collected",
            ["devices": 3, "duration_ms": .milliseconds(.microseconds(12_345)), "host": "ups.example", "fresh": true]
        )
        let expected = """
            {"level":"info","ts":"2025-06-15T15:06:40.123Z","msg":"Device data collected",\
            "devices":3,"duration_ms":12.345,"host":"ups.example","fresh":true}

            """
        #expect(formatter.text(record) == expected)
    }

    @Test func writesTheCallerIfEnabled() {
        let expected = """
            {"level":"error","ts":"2025-06-15T15:06:40.123Z","msg":"Text","caller":"WPCollector/Collector.swift:12","n":1}

            """
        #expect(JSONLogFormatter(includesCaller: true).text(.sample(.error, "Text", ["n": 1])) == expected)
    }

    @Test func escapesLikeJSON() {
        let text = "a\"b\\c\n\r\t\u{1B}\u{7F}\u{9B}é\u{2028}\u{202E}\u{2066}\u{61C}🔋"
        let line = formatter.text(.sample(.info, text))
        #expect(line.contains(#""a\"b\\c\n\r\t\u001b\u007f\u009bé\u2028\u202e\u2066\u061c🔋""#))
    }

    @Test(arguments: HostileText.all)
    func writesValidJSONForAnyString(_ text: String) throws {
        var fields = LogFields()
        fields.append("value", .string(text))
        fields.append("key" + text, "there")
        let line = JSONLogFormatter(includesCaller: true).text(.sample(.warn, text, fields))
        #expect(line.last == "\n")
        #expect(HostileText.isHarmless(line))
        let object = try JSONValue(parsing: line)
        if text.utf8.count < 16_000 {
            #expect(object["msg"] == .string(text))
            #expect(object["value"] == .string(text))
            #expect(object["key" + text] == .string("there"))
        }
    }

    @Test func truncatesVeryLongStrings() throws {
        let text = String(repeating: "é", count: 40_000)
        let object = try JSONValue(parsing: formatter.text(.sample(.info, "x" + text, ["text": .string(text)])))
        #expect(object["text"] == .string(String(repeating: "é", count: 8192) + "… (63616 bytes more)"))
        #expect(object["msg"] == .string("x" + String(repeating: "é", count: 8191) + "… (63618 bytes more)"))
    }

    @Test(arguments: [
        (Double.nan, #""NaN""#), (.infinity, #""+Inf""#), (-.infinity, #""-Inf""#), (0.1, "0.1"), (-0.0, "-0.0"),
        (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (100, "100.0"),
    ])
    func writesNumbers(_ number: Double, _ expected: String) throws {
        let line = formatter.text(.sample(.info, "Text", ["n": .double(number)]))
        #expect(line.hasSuffix("\"n\":\(expected)}\n"))
        #expect(try JSONValue(parsing: line)["n"] != nil)
    }

    @Test(arguments: [(Int64.min, "-9223372036854775808"), (.max, "9223372036854775807")])
    func writesIntegers(_ number: Int64, _ expected: String) {
        #expect(formatter.text(.sample(.info, "Text", ["n": .int(number)])).hasSuffix("\"n\":\(expected)}\n"))
    }

    @Test func prefixesFieldsWithReservedKeys() throws {
        let fields: LogFields = [
            "level": "high", "ts": 1, "msg": "theirs", "caller": "me", "field_level": "higher",
        ]
        let line = formatter.text(.sample(.info, "ours", fields))
        let object = try JSONValue(parsing: line)
        #expect(object["level"] == .string("info"))
        #expect(object["msg"] == .string("ours"))
        #expect(object["field_ts"] == .number(1))
        #expect(object["field_msg"] == .string("theirs"))
        #expect(object["field_caller"] == .string("me"))
        #expect(object["field_level"] == .string("higher"))
        #expect(line.split(separator: "\"field_level\"").count == 2)
    }

    @Test func writesTheLastOfDuplicates() {
        let line = formatter.text(.sample(.info, "Text", ["a": 1, "b": 2, "a": 3, "a": 4]))
        #expect(line.hasSuffix(#""msg":"Text","b":2,"a":4}"# + "\n"))
    }
}
