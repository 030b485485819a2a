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
        var output: [UInt8] = []
        try HTTPHeadWriter.writeStatusLine(.notFound, to: &output)
        try HTTPHeadWriter.writeField(name: "Content-Length", value: "0", to: &output)
        HTTPHeadWriter.writeLineEnd(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        let head = HTTPResponseHead(status: .notFound, headers: ["Content-Length": "0"])
        #expect(parseResponse(output) == .head(head, length: output.count))
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\0", "(a)"])
    func rejectsInvalidNames(name: String) {
        expectRejection(name: name, value: "x")
    }

    @Test(arguments: ["a\r\nSet-Cookie: b", "a\n", "\r", "a\0b", "\u{7F}", " a", "a\t"])
    func rejectsInvalidValues(value: String) {
        expectRejection(name: "X", value: value)
    }

    /// Neither a response nor a request with the field can be written.
    private func expectRejection(name: String, value: String) {
        var output: [UInt8] = []
        var error = #expect(throws: HTTPWireError.self) {
            try HTTPHeadWriter.writeField(name: name, value: value, to: &output)
        }
        #expect(error?.code == .field)
        #expect(error?.status == .internalServerError)
        error = #expect(throws: HTTPWireError.self) {
            try HTTPHeadWriter.write(HTTPRequestHead(method: .get, target: "/", headers: [name: value]), to: &output)
        }
        #expect(error?.code == .field)
        #expect(output.isEmpty)
    }

    @Test(arguments: ["", "a b", "a\tb", "é", "\"quoted\", list"])
    func acceptsValidFieldValues(value: String) throws {
        var output: [UInt8] = []
        try HTTPHeadWriter.writeField(name: "X", value: value, to: &output)
        #expect(output == Array("X: \(value)\r\n".utf8))
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
            try HTTPHeadWriter.writeStatusLine(status, to: &output)
        }
        #expect(error?.code == .startLine)
    }
}
