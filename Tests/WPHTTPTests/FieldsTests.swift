// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP

@Suite("Header fields")
struct FieldsTests {
    @Test(
        arguments: [
            ("Content-Type", "content-TYPE", true), ("a", "A", true), ("", "", true), ("a", "ab", false),
            ("a-b", "a_b", false), ("@", "`", false), ("[", "{", false), ("\u{C4}", "\u{E4}", false),
            ("\u{212A}", "k", false),
        ]
    )
    func ignoresOnlyASCIICaseInNames(lhs: String, rhs: String, isSame: Bool) {
        #expect(HTTPFields.same(lhs, rhs) == isSame)
        let fields: HTTPFields = [lhs: "value"]
        #expect((fields[rhs] != nil) == isSame)
    }

    @Test func keepsTheOrderAndSpellingOfFields() {
        var fields: HTTPFields = ["B": "1", "a": "2"]
        fields.append(name: "b", value: "3")
        #expect(fields.all.map(\.name) == ["B", "a", "b"])
        #expect(fields["b"] == "1")
        #expect(fields.values(of: "B") == ["1", "3"])
        #expect(fields.values(of: "c").isEmpty)
    }

    @Test func settingReplacesAllFieldsOfTheName() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["A"] = "4"
        #expect(fields.values(of: "a") == ["4"])
        #expect(fields.all.count == 2)
        fields["a"] = nil
        #expect(fields.all.map(\.name) == ["B"])
        fields["c"] = nil
        #expect(fields.all.count == 1)
    }

    @Test func settingKeepsThePositionOfTheField() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["a"] = "4"
        #expect(fields.all == [.init(name: "a", value: "4"), .init(name: "B", value: "2")])
    }

    @Test(
        arguments: [
            ("close", true), ("CLOSE", true), ("upgrade", true), ("keep-alive", true), ("clo", false), ("", false),
            ("close, x", false),
        ]
    )
    func findsListElementsInAnyFieldAndSpelling(element: String, isThere: Bool) {
        let fields: HTTPFields = ["Connection": "x,\tClose ,, Upgrade", "connection": "keep-alive", "Other": "clo"]
        #expect(fields.contains(element, in: "CONNECTION") == isThere)
    }

    @Test func doesNotSplitAnElementAtAQuotedComma() {
        let fields: HTTPFields = ["Prefer": #"a="x, close, y", b"#]
        #expect(!fields.contains("close", in: "Prefer"))
        #expect(fields.contains("b", in: "Prefer"))
    }

    @Test func comparesNamesAsWrittenValuesAndOrder() {
        #expect(HTTPFields() == [:])
        #expect(["A": "1"] as HTTPFields == ["A": "1"])
        #expect(["A": "1", "B": "2"] as HTTPFields != ["B": "2", "A": "1"])
    }

    @Test(
        arguments: [
            ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/a?", "/a", ""), ("/", "/", nil as String?),
        ]
    )
    func splitsTheTargetIntoPathAndQuery(target: String, path: String, query: String?) {
        let request = HTTPRequest(target: target)
        #expect(String(request.path) == path)
        #expect(request.query.map { String($0) } == query)
    }

    @Test func comparesStatusesByCode() {
        #expect(HTTPStatus(code: 404, reason: "Nope") == .notFound)
        #expect(HTTPStatus.notFound.description == "404 Not Found")
        #expect(HTTPStatus(code: 799).description == "799")
        #expect(HTTPStatus.ok.isSuccess)
        #expect(!HTTPStatus(code: 300).isSuccess)
        #expect(!HTTPStatus(code: 199).isSuccess)
    }

    @Test(
        arguments: [
            ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false),
            ("get", false),
        ]
    )
    func onlySafeAndIdempotentMethodsAreIdempotent(method: String, isIdempotent: Bool) {
        #expect(HTTPMethod(rawValue: method).isIdempotent == isIdempotent)
    }
}
