// SPDX-License-Identifier: MIT

import Testing

@testable import WPClient

@Suite("The outline of a JSON text")
struct JSONOutlineTests {
    private func outline(_ text: String) throws -> JSONOutline {
        try JSONSyntax.check(Array(text.utf8))
    }

    @Test("has each key once, by its place, through lists and whatever their elements' order")
    func places() throws {
        let outline = try outline(
            """
            {"a": 1, "data": [{"x": {"one": 1}, "y": [[{"deep": 2}]]}, 7, {"y": 1, "x": {"two": {}, "one": 2}, "z": 3}],
            "longer-than-a-word": {"é": 1}, "a": {"again": 1}, "x": 2}
            """
        )
        #expect(outline.isComplete)
        #expect(outline.keys(at: "data") == ["x", "y", "z"])
        #expect(outline.keys(at: "data", "x") == ["one", "two"])
        #expect(outline.keys(at: "data", "y") == ["deep"])
        #expect(outline.keys(at: "a") == ["again"])
        #expect(outline.keys(at: "longer-than-a-word") == ["é"])
        #expect(outline.keys(at: "longer-than-a-work").isEmpty)
        #expect(outline.keys() == ["a", "data", "longer-than-a-word", "x"])
    }

    @Test("tells keys of one length apart by each of their bytes")
    func alikeKeys() throws {
        for key in ["abcdefgh", "abcdefghi", "abcdefghijklmnop"] {
            for index in key.indices {
                let other = key[..<index] + "#" + key[key.index(after: index)...]
                #expect(try outline(#"{"\#(key)": 1, "\#(other)": 2}"#).keys() == [key, String(other)])
            }
        }
    }

    @Test("says that it is not complete when a key is written with escapes, or when there are too many")
    func incomplete() throws {
        #expect(try !outline(#"{"\u0061": 1}"#).isComplete)
        let keys = (0..<50).map { #""k\#($0)": 0"# }.joined(separator: ",")
        let objects = (0..<20).map { #""o\#($0)": {\#(keys)}"# }.joined(separator: ",")
        #expect(try outline("{\(objects)}").isComplete)
        #expect(try !outline(#"{\#(objects), "more": {\#(keys)}}"#).isComplete)
    }

    @Test("gives up before a text in unkind order becomes dear")
    func unkind() throws {
        let keys = (0..<500).map { #""k\#($0)": 0"# }
        let objects = (0..<100).map {
            $0 % 2 == 0 ? keys.joined(separator: ",") : keys.reversed().joined(separator: ",")
        }
        #expect(try !outline("[\(objects.map { "{\($0)}" }.joined(separator: ","))]").isComplete)
    }
}
