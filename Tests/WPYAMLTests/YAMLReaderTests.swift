// SPDX-License-Identifier: MIT

import Testing
import WPYAML
import WPTestKit
import WPTestSupport

@Suite struct YAMLReaderTests {
    @Test(arguments: [
        ("a: 1\nb: two\n", #"{"a": 1, "b": "two"}"#),
        ("a:\n  b:\n    - 1\n    - [x, {y: z}]\n", #"{"a": {"b": [1, ["x", {"y": "z"}]]}}"#),
        ("a:\n- 1\n- b: 2\n  c: 3\nd: 4\n", #"{"a": [1, {"b": 2, "c": 3}], "d": 4}"#),
        ("- - a\n  - b\n- - c\n", #"[["a", "b"], ["c"]]"#),
        ("a: one\n  two\n\n  three\n", #"{"a": "one two\nthree"}"#),
        ("a: 'it''s'\nb: \"x\\ty\"\n", #"{"a": "it's", "b": "x\ty"}"#),
        ("a: http://h:80/p#f # comment\n", ##"{"a": "http://h:80/p#f"}"##),
        ("a: b#c\n", ##"{"a": "b#c"}"##),
        ("a:   # nothing\nb: ~\n", #"{"a": null, "b": null}"#),
        ("{a: [1, 2,], 'b':3, c: }\n", #"{"a": [1, 2], "b": 3, "c": null}"#),
        ("[a, b: c]\n", #"["a", {"b": "c"}]"#),
        ("%YAML 1.2\n---\na: 1\n...\n", #"{"a": 1}"#),
        ("--- text\n", #""text""#),
        ("a: &x [1, 2]\nb: *x\n", #"{"a": [1, 2], "b": [1, 2]}"#),
        ("[&x, *x, &y a, *y]\n", #"[null, null, "a", "a"]"#),
        ("&k a: 1\nb: {*k : 2}\n*k : 3\n", ""),
        ("&k a: 1\nb: {*k : 2}\n", #"{"a": 1, "b": {"a": 2}}"#),
        ("a: !!str 1\nb: !!int 2\nc: ! 3\n", #"{"a": "1", "b": 2, "c": "3"}"#),
        ("a: -1\nb: - 1\n", ""),
        ("\u{FEFF}a: 1\r\nb: 2\r\n", #"{"a": 1, "b": 2}"#),
        ("a: 1\rb: 2", #"{"a": 1, "b": 2}"#),
        (#"{"json": [true, null, 1.5, "A\u00e9\n"]}"#, #"{"json": [true, null, 1.5, "A\u00e9\n"]}"#),
    ])
    func readsValuesOfEveryType(_ text: String, _ json: String) throws {
        guard !json.isEmpty else {
            #expect(throws: YAMLFault.self) { try YAMLReader.parse(text) }
            return
        }
        let node = try #require(try YAMLReader.parse(text))
        #expect(try #require(JSONValue(node)) == JSONValue(parsing: json))
    }

    @Test(arguments: [
        ("|", "a\nb\n"), ("|-", "a\nb"), ("|+", "a\nb\n\n"),
        (">", "a b\n"), (">-", "a b"), (">+", "a b\n\n"),
        ("|2", " a\n b\n"), ("|2-", " a\n b"), (">-2", " a\n b"),
    ])
    func chompsABlockScalarByItsHeader(_ header: String, _ expected: String) throws {
        let text = "x: \(header)\n   a\n   b\n\ny: 1\n"
        let node = try #require(try YAMLReader.parse(text))
        #expect(Self.scalar(node, "x")?.text == expected)
        #expect(Self.scalar(node, "x")?.style == (header.hasPrefix("|") ? .literal : .folded))
        #expect(Self.scalar(node, "y")?.text == "1")
    }

    @Test func foldsLinesButKeepsIndentedOnes() throws {
        let text = "x: >\n  one\n  two\n\n  three\n    four\n  five\n"
        let node = try #require(try YAMLReader.parse(text))
        #expect(Self.scalar(node, "x")?.text == "one two\nthree\n  four\nfive\n")
    }

    @Test(arguments: [
        (#"\0\a\b\t\n\v\f\r\e"#, "\u{0}\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1B}"),
        (#"\ \"\/\\"#, " \"/\\"),
        (#"\N\_\L\P"#, "\u{85}\u{A0}\u{2028}\u{2029}"),
        (#"\x41\u00e9\U0001F600"#, "Aé😀"),
        ("a\\\n   b", "ab"),
        ("a \\\n  \\ b", "a  b"),
        ("a  \n  b", "a b"),
        ("a\n\n  b", "a\nb"),
    ])
    func unescapesDoubleQuotes(_ written: String, _ expected: String) throws {
        let node = try #require(try YAMLReader.parse("x: \"\(written)\""))
        #expect(Self.scalar(node, "x")?.text == expected)
    }

    @Test func recordsThePositionOfEachValue() throws {
        let node = try #require(try YAMLReader.parse("é: ü\nb:\n  - {c: 'é', d: x}\n  - &n 1\n  - *n\n"))
        guard case .mapping(let entries) = node.content, case .sequence(let items) = entries[1].value.content,
            case .mapping(let inner) = items[0].content
        else {
            Issue.record("unexpected structure")
            return
        }
        #expect(node.position.description == "1:1")
        #expect(entries[0].value.position == YAMLPosition(line: 1, column: 4))
        #expect(entries[1].keyPosition == YAMLPosition(line: 2, column: 1))
        #expect(inner[0].value.position == YAMLPosition(line: 3, column: 9))
        #expect(inner[1].keyPosition == YAMLPosition(line: 3, column: 14))
        #expect(items[2].position == YAMLPosition(line: 5, column: 5))
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "  # indented\n\n", "...\n"])
    func returnsNilWithoutADocument(_ text: String) throws {
        #expect(try YAMLReader.parse(text) == nil)
    }

    struct Rejection: Sendable, CustomTestStringConvertible {
        var text: String
        var code: YAMLFault.Code
        var position: String
        init(_ text: String, _ code: YAMLFault.Code, _ position: String) {
            (self.text, self.code, self.position) = (text, code, position)
        }
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Rejection("a: 1\na: 2\n", .duplicateKey, "2:1"),
        Rejection("{a: 1, \"a\": 2}\n", .duplicateKey, "1:8"),
        Rejection("a:\n\tb: 1\n", .indentation, "2:1"),
        Rejection("a:\n  b: 1\n c: 2\n", .indentation, "3:2"),
        Rejection("- a\n - b: c\n", .syntax, "2:5"),
        Rejection("a: b: c\n", .syntax, "1:4"),
        Rejection("a: - b\n", .syntax, "1:4"),
        Rejection("a: 'x' y\n", .syntax, "1:8"),
        Rejection("a: \"x\n", .syntax, "1:4"),
        Rejection("a: \"x\nb: y\n", .indentation, "2:1"),
        Rejection("a: [1, 2\n", .syntax, "1:4"),
        Rejection("a: [1, 2\nb: 3\n", .indentation, "2:1"),
        Rejection("a: [1 2]\nb: ]\n", .syntax, "2:4"),
        Rejection("a: [,]\n", .syntax, "1:5"),
        Rejection("a: [1] # ok\nb: [1]# no\n", .syntax, "2:7"),
        Rejection("a: @x\n", .syntax, "1:4"),
        Rejection("a: %x\n", .syntax, "1:4"),
        Rejection("a: \"\\q\"\n", .syntax, "1:6"),
        Rejection("a: \"\\u12\"\n", .syntax, "1:9"),
        Rejection("a: \"\\uD83D\\uDE00\"\n", .unsupported, "1:11"),
        Rejection("a: |x\n  b\n", .syntax, "1:5"),
        Rejection("a: |\n   \n  b\n", .indentation, "3:3"),
        Rejection("a: *x\n", .unknownAlias, "1:4"),
        Rejection("a: &x [*x]\n", .unknownAlias, "1:8"),
        Rejection("a: &x &y 1\n", .syntax, "1:7"),
        Rejection("a: &x 1\nb: &y *x\n", .syntax, "2:9"),
        Rejection("a: &x 1\nb: [&y *x]\n", .syntax, "2:8"),
        Rejection("a: &x 1\nb: [!!str *x]\n", .syntax, "2:11"),
        Rejection("a: & 1\n", .syntax, "1:5"),
        Rejection("[& 1]\n", .syntax, "1:3"),
        Rejection("a: *\n", .syntax, "1:5"),
        Rejection("[*]\n", .syntax, "1:3"),
        Rejection("a: !mine 1\n", .unsupported, "1:4"),
        Rejection("a: !!timestamp 2001-01-01\n", .unsupported, "1:4"),
        Rejection("a: !!int x\n", .syntax, "1:4"),
        Rejection("a: !!map [1]\n", .syntax, "1:4"),
        Rejection("a: !!seq {b: 1}\n", .syntax, "1:4"),
        Rejection("a: &x[1]\n", .syntax, "1:6"),
        Rejection("a: &x,1\n", .syntax, "1:6"),
        Rejection("a: *x,1\n", .unknownAlias, "1:4"),
        Rejection("[&x{a: 1}]\n", .syntax, "1:4"),
        Rejection("? a\n: b\n", .unsupported, "1:1"),
        Rejection(": b\n", .unsupported, "1:1"),
        Rejection("[a]: b\n", .unsupported, "1:1"),
        Rejection("{[a]: b}\n", .unsupported, "1:2"),
        Rejection("a: 1\n---\nb: 2\n", .unsupported, "2:1"),
        Rejection("a: 1\n...\nb: 2\n", .unsupported, "3:1"),
        Rejection("%TAG ! tag:x,2000:\n---\na: 1\n", .unsupported, "1:1"),
        Rejection("%YAML 2.0\n---\na: 1\n", .unsupported, "1:7"),
        Rejection("%YAML 1.2\na: 1\n", .syntax, "2:1"),
        Rejection("--- a: 1\n", .syntax, "1:5"),
        Rejection("a\nb: 1\n", .syntax, "2:2"),
        Rejection("a: 1\nb\n", .syntax, "2:1"),
        Rejection("a: 1\n- b\n", .syntax, "2:1"),
        Rejection("- a\nb: 1\n", .syntax, "2:1"),
        Rejection("a: x\u{1}y\n", .character, "1:5"),
        Rejection("a: 1\nb: é\u{FFFE}\n", .character, "2:5"),
        Rejection("a: \u{FFFF}\n", .character, "1:4"),
        Rejection("a: \u{80}\n", .character, "1:4"),
        Rejection("a: \u{9F}\n", .character, "1:4"),
        Rejection("a: é\u{1}\n", .character, "1:5"),
        Rejection("a: €\u{1}\n", .character, "1:5"),
        Rejection("a: ࠀ\u{1}\n", .character, "1:5"),
        Rejection("a: 😀\u{1}\n", .character, "1:5"),
        Rejection("a: \u{10000}\u{1}\n", .character, "1:5"),
        Rejection("a: \u{7F}\n", .character, "1:4"),
        Rejection("a: \u{1F}\n", .character, "1:4"),
        Rejection(String(repeating: "k", count: 1025) + ": 1\n", .syntax, "1:1"),
    ])
    func rejectsWithPosition(_ rejection: Rejection) {
        let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse(rejection.text) }
        #expect(fault?.code == rejection.code)
        #expect(fault?.position.description == rejection.position, "\(fault?.description ?? "")")
    }

    @Test(arguments: [
        [0x61, 0xC3], [0x61, 0x80], [0x61, 0xED, 0xA0, 0x80], [0x61, 0xF8], [0x61, 0xC0, 0xAF],
        [0x61, 0xF4, 0x90, 0x80, 0x80],
    ])
    func rejectsInvalidUTF8(_ bytes: [UInt8]) {
        let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse(bytes) }
        #expect(fault?.code == .character)
        #expect(fault?.position == YAMLPosition(line: 1, column: 2))
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]])
    func reportsUTF16(_ bytes: [UInt8]) {
        let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse(bytes) }
        #expect(fault?.message.contains("UTF-16") == true)
    }

    @Test func limitsSizeDepthAndNodes() throws {
        let limits = YAMLLimits(bytes: 100, depth: 4, nodes: 10)
        #expect(try YAMLReader.parse("[[[1]]]", limits: limits) != nil)
        #expect(Self.code("[[[[1]]]]", limits) == .limit)
        #expect(Self.code("- - - - 1", limits) == .limit)
        #expect(Self.code("a:\n b:\n  c:\n   d:\n    e: 1", limits) == .limit)
        #expect(try YAMLReader.parse("[1, 2, 3, 4, 5, 6, 7, 8, 9]", limits: limits) != nil)
        #expect(Self.code("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", limits) == .limit)
        #expect(Self.code(String(repeating: " ", count: 101), limits) == .limit)
    }

    @Test func countsAllNodesOfAnAlias() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = repeatElement("*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse(text) }
        #expect(fault?.code == .limit)
        #expect(Self.code("a: &a [[1]]\nb: [[*a]]", YAMLLimits(depth: 5)) == .limit)
        #expect(try YAMLReader.parse("a: &a [[1]]\nb: [[*a]]", limits: YAMLLimits(depth: 6)) != nil)
    }

    @Test func nextLineIsTheOnlyControlCharacterOfItsBlock() throws {
        #expect(try YAMLReader.parse("a: b\u{85}c\n") != nil)
        for character in ["\u{80}", "\u{84}", "\u{86}", "\u{9F}"] {
            let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse("a: b\(character)c\n") }
            #expect(fault?.code == .character)
            #expect(fault?.position == YAMLPosition(line: 1, column: 5))
        }
    }

    @Test func messagesQuoteNoValue() {
        for text in [
            "p: hunter2: x", "p: [hunter2", "p: 'hunter2' x", "p: 'hunter2", "p: !!int hunter2", "p: @hunter2",
        ] {
            let fault = #expect(throws: YAMLFault.self) { try YAMLReader.parse(text) }
            #expect(fault?.description.contains("hunter2") == false, "\(text)")
        }
    }

    private static func code(_ text: String, _ limits: YAMLLimits) -> YAMLFault.Code? {
        do {
            _ = try YAMLReader.parse(text, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    private static func scalar(_ node: YAMLNode, _ key: String) -> YAMLScalar? {
        guard case .mapping(let entries) = node.content,
            case .scalar(let scalar)? = entries.first(where: { $0.key == key })?.value.content
        else { return nil }
        return scalar
    }

    @Test func `custom tags produce strings where they are allowed`() throws {
        let text = "a: !env PASSWORD\nb: [!file 12, plain]\n"
        let limits = YAMLLimits(localTags: ["!env", "!file"])
        guard case .mapping(let entries)? = try YAMLReader.parse(text, limits: limits)?.content,
            case .scalar(let first) = entries[0].value.content,
            case .sequence(let items) = entries[1].value.content, items.count == 2,
            case .scalar(let second) = items[0].content, case .scalar(let third) = items[1].content
        else {
            Issue.record("unexpected structure")
            return
        }
        #expect(first.localTag == "!env")
        #expect(first.resolved() == .string("PASSWORD"))
        #expect(second.localTag == "!file")
        #expect(second.resolved() == .string("12"))
        #expect(third.localTag == nil)
        #expect(throws: YAMLFault.self) { try YAMLReader.parse(text) }
        #expect(throws: YAMLFault.self) { try YAMLReader.parse("a: !env [x]", limits: limits) }
    }

    @Test func `applies merge keys if enabled`() throws {
        let text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {<<: [{x: 4}, *a]}\n"
        let limits = YAMLLimits(mergesKeys: true)
        let merged = try YAMLReader.parse(text, limits: limits)
        let expected = "a: {x: 1, y: 2}\nb: {y: 3, x: 1}\nc: {x: 4, y: 2}\n"
        #expect(try #require(merged).plainTexts == YAMLReader.parse(expected)?.plainTexts)
        #expect(try YAMLReader.parse(text)?.plainTexts.contains("<<") == true)
        for wrong in ["a: {<<: 1}", "a: {<<: [1]}"] {
            #expect(throws: YAMLFault.self) { try YAMLReader.parse(wrong, limits: limits) }
        }
        // Maps whose merge keys double with each line; the result is limited.
        var bomb = "a0: &a0 {k0: 1, l0: 1}\n"
        for level in 1...30 {
            bomb += "a\(level): &a\(level) {<<: *a\(level - 1), k\(level): [*a\(level - 1), *a\(level - 1)]}\n"
        }
        #expect(throws: YAMLFault.self) { try YAMLReader.parse(bomb, limits: limits) }
    }
}

extension YAMLNode {
    /// The text of all keys and scalars in order.
    fileprivate var plainTexts: [String] {
        switch content {
        case .scalar(let scalar): [scalar.text]
        case .sequence(let items): items.flatMap(\.plainTexts)
        case .mapping(let entries): entries.flatMap { [$0.key] + $0.value.plainTexts }
        }
    }
}
