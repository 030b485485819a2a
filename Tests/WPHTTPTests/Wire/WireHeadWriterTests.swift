// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("Writing heads to the wire")
struct WireHeadWriterTests {
    @Test func writesRequests() throws {
        let head = HTTPRequestHead(method: .get, target: "/x?y", headers: ["Host": "a", "Empty": ""])
        var output: [UInt8] = []
        try HTTPHeadWriter.write(head, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "GET /x?y HTTP/1.1\r\nHost: a\r\nEmpty: \r\n\r\n")
        #expect(parseRequest(output) == .head(head, length: output.count))
    }

    @Test func writesResponses() throws {
        let head = HTTPResponseHead(status: .notFound, minorVersion: 0, headers: ["Content-Length": "0"])
        var output: [UInt8] = []
        try HTTPHeadWriter.write(head, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        #expect(parseResponse(output) == .head(head, length: output.count))
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\0", "(a)"])
    func rejectsInvalidNames(name: String) {
        var output: [UInt8] = []
        let head = HTTPResponseHead(status: .ok, headers: [name: "x"])
        let error = #expect(throws: HTTPWireError.self) { try HTTPHeadWriter.write(head, to: &output) }
        #expect(error?.code == .field)
        #expect(error?.status == .internalServerError)
        #expect(output.isEmpty)
        #expect(!HTTPHeadWriter.isFieldName(name))
    }

    @Test(arguments: ["a\r\nSet-Cookie: b", "a\n", "\r", "a\0b", "\u{7F}", " a", "a\t"])
    func rejectsInvalidValues(value: String) {
        var output: [UInt8] = []
        let head = HTTPResponseHead(status: .ok, headers: ["X": value])
        let error = #expect(throws: HTTPWireError.self) { try HTTPHeadWriter.write(head, to: &output) }
        #expect(error?.code == .field)
        #expect(output.isEmpty)
        #expect(!HTTPHeadWriter.isFieldValue(value))
    }

    @Test(arguments: ["", "a b", "a\tb", "é", "\"quoted\", list"])
    func acceptsValues(value: String) {
        #expect(HTTPHeadWriter.isFieldValue(value))
    }

    @Test(arguments: [
        (HTTPMethod(rawValue: "GE T"), "/", HTTPWireError.Code.method), (HTTPMethod(rawValue: ""), "/", .method),
        (.get, "/a b", .target), (.get, "", .target), (.get, "/\r\nX: y", .target), (.get, "/ä", .target),
    ])
    func rejectsInvalidRequestLines(method: HTTPMethod, target: String, code: HTTPWireError.Code) {
        var output: [UInt8] = []
        let error = #expect(throws: HTTPWireError.self) {
            try HTTPHeadWriter.write(HTTPRequestHead(method: method, target: target), to: &output)
        }
        #expect(error?.code == code)
    }

    @Test(arguments: [
        HTTPStatus(code: 99), HTTPStatus(code: 600), HTTPStatus(code: -1), HTTPStatus(code: 200, reason: "a\r\n"),
    ])
    func rejectsInvalidStatuses(status: HTTPStatus) {
        var output: [UInt8] = []
        let error = #expect(throws: HTTPWireError.self) {
            try HTTPHeadWriter.write(HTTPResponseHead(status: status), to: &output)
        }
        #expect(error?.code == .startLine)
    }
}
