// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP

@Suite("Header fields")
struct FieldsTests {
    @Test(
        "Names are compared without regard to ASCII case, and only to that",
        arguments: [
            ("Content-Type", "content-TYPE", true), ("a", "A", true), ("", "", true), ("a", "ab", false),
            ("a-b", "a_b", false), ("@", "`", false), ("[", "{", false), ("\u{C4}", "\u{E4}", false),
            ("\u{212A}", "k", false),
        ]
    )
    func names(lhs: String, rhs: String, isSame: Bool) {
        #expect(HTTPFields.same(lhs, rhs) == isSame)
        let fields: HTTPFields = [lhs: "value"]
        #expect((fields[rhs] != nil) == isSame)
    }

    @Test("Fields keep their order and their spelling")
    func order() {
        var fields: HTTPFields = ["B": "1", "a": "2"]
        fields.append(name: "b", value: "3")
        #expect(fields.all.map(\.name) == ["B", "a", "b"])
        #expect(fields["b"] == "1")
        #expect(fields.values(of: "B") == ["1", "3"])
        #expect(fields.values(of: "c").isEmpty)
    }

    @Test("Setting replaces every field of the name; nil removes them")
    func replacing() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["A"] = "4"
        #expect(fields.values(of: "a") == ["4"])
        #expect(fields.all.count == 2)
        fields["a"] = nil
        #expect(fields.all.map(\.name) == ["B"])
        fields["c"] = nil
        #expect(fields.all.count == 1)
    }

    @Test("A field that is replaced keeps its place")
    func replacingInPlace() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["a"] = "4"
        #expect(fields.all == [.init(name: "a", value: "4"), .init(name: "B", value: "2")])
    }

    @Test(
        "An element of a list is found in whichever field and however it is spelled",
        arguments: [
            ("close", true), ("CLOSE", true), ("upgrade", true), ("keep-alive", true), ("clo", false), ("", false),
            ("close, x", false),
        ]
    )
    func lists(element: String, isThere: Bool) {
        let fields: HTTPFields = ["Connection": "x,\tClose ,, Upgrade", "connection": "keep-alive", "Other": "clo"]
        #expect(fields.contains(element, in: "CONNECTION") == isThere)
    }

    @Test("A quoted comma does not split an element")
    func quotedComma() {
        let fields: HTTPFields = ["Prefer": #"a="x, close, y", b"#]
        #expect(!fields.contains("close", in: "Prefer"))
        #expect(fields.contains("b", in: "Prefer"))
    }

    @Test("Equality is of names as written, values and order")
    func equality() {
        #expect(HTTPFields() == [:])
        #expect(["A": "1"] as HTTPFields == ["A": "1"])
        #expect(["A": "1", "B": "2"] as HTTPFields != ["B": "2", "A": "1"])
    }

    @Test(
        "A request's path and query come apart",
        arguments: [
            ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/a?", "/a", ""), ("/", "/", nil as String?),
        ]
    )
    func target(target: String, path: String, query: String?) {
        let request = HTTPRequest(target: target)
        #expect(String(request.path) == path)
        #expect(request.query.map { String($0) } == query)
    }

    @Test("Statuses are equal by code, and describe themselves with what phrase there is")
    func statuses() {
        #expect(HTTPStatus(code: 404, reason: "Nope") == .notFound)
        #expect(HTTPStatus.notFound.description == "404 Not Found")
        #expect(HTTPStatus(code: 799).description == "799")
        #expect(HTTPStatus.ok.isSuccess)
        #expect(!HTTPStatus(code: 300).isSuccess)
        #expect(!HTTPStatus(code: 199).isSuccess)
    }

    @Test(
        "Only methods that may be repeated count as idempotent",
        arguments: [
            ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false),
            ("get", false),
        ]
    )
    func idempotence(method: String, isIdempotent: Bool) {
        #expect(HTTPMethod(rawValue: method).isIdempotent == isIdempotent)
    }
}
