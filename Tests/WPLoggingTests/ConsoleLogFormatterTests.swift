// SPDX-License-Identifier: MIT

import Testing
import WPLogging

@Suite struct ConsoleLogFormatterTests {
    private let formatter = ConsoleLogFormatter()

    @Test(arguments: [
        (LogLevel.debug, "2025-06-15T15:06:40.123Z DEBUG Text  n=1\n"),
        (.info, "2025-06-15T15:06:40.123Z INFO  Text  n=1\n"),
        (.warn, "2025-06-15T15:06:40.123Z WARN  Text  n=1\n"),
        (.error, "2025-06-15T15:06:40.123Z ERROR Text  n=1\n"),
    ])
    func alignsLevels(_ level: LogLevel, _ expected: String) {
        #expect(formatter.text(.sample(level, "Text", ["n": 1])) == expected)
    }

    @Test func quotesValuesThatAreNotPlainWords() {
        let record = LogRecord.sample(
            .info,
            "Text",
            [
                "word": "ups-1.example:8081", "empty": "", "spaced": "a b", "quoted": "say \"x\"", "name": "机房",
                "path": #"C:\x"#, "pair": "a=b", "flag": false, "ratio": 0.5, "nothing": .double(.nan), "odd key": 1,
            ]
        )
        let expected = """
            2025-06-15T15:06:40.123Z INFO  Text  word=ups-1.example:8081 empty="" spaced="a b" quoted="say \\"x\\"" \
            name="机房" path="C:\\\\x" pair="a=b" flag=false ratio=0.5 nothing=NaN "odd key"=1

            """
        #expect(formatter.text(record) == expected)
    }

    @Test func writesTheCallerIfEnabled() {
        let line = ConsoleLogFormatter(includesCaller: true).text(.sample(.info, "Text", ["caller": "me", "n": 1]))
        let fields = "caller=WPCollector/Collector.swift:12 field_caller=me n=1"
        #expect(line == "2025-06-15T15:06:40.123Z INFO  Text  \(fields)\n")
    }

    @Test func writesTheLastOfDuplicates() {
        #expect(formatter.text(.sample(.info, "Text", ["a": 1, "b": 2, "a": 3])).hasSuffix("Text  b=2 a=3\n"))
    }

    @Test(arguments: HostileText.all)
    func escapesControlCharactersOnOneLine(_ text: String) {
        var fields = LogFields()
        fields.append("value", .string(text))
        fields.append(text, "there")
        let line = formatter.text(.sample(.error, text, fields))
        #expect(line.last == "\n")
        #expect(HostileText.isHarmless(line))
        #expect(line.hasSuffix("=there\n"))
    }

    @Test func escapesWithoutQuotationMarksInMessages() {
        let line = formatter.text(.sample(.info, "say \"x\"\n\u{1B}[31m\\"))
        #expect(line == "2025-06-15T15:06:40.123Z INFO  say \"x\"\\n\\u001b[31m\\\n")
    }

    @Test(arguments: [(LogLevel.debug, 36), (.info, 32), (.warn, 33), (.error, 31)])
    func colorsTheLevel(_ level: LogLevel, code: Int) {
        let line = ConsoleLogFormatter(usesColors: true).text(.sample(level, "Text"))
        let name = level.rawValue.uppercased()
        #expect(line.contains("Z \u{1B}[\(code)m\(name)\u{1B}[0m"))
        #expect(line.hasSuffix(" Text\n"))
    }

    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["TERM": "xterm"], true), (true, ["TERM": "dumb"], false),
        (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true), (false, ["TERM": "xterm"], false),
    ])
    func colorsOnlyIfSupportedAndAllowed(isTerminal: Bool, environment: [String: String], expected: Bool) {
        #expect(ConsoleLogFormatter.shouldUseColors(isTerminal: isTerminal, environment: environment) == expected)
    }
}
