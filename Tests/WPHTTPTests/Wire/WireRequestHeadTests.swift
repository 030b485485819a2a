// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("Request heads on the wire")
struct WireRequestHeadTests {
    private static let complete =
        "POST /a/b%20c?q=1&name[]=x HTTP/1.1\r\nHost: example.org:9090\r\nX-Empty:\r\nx-Tab:\t a b \t\r\n\r\n"

    @Test func parsesAllComponents() throws {
        let outcome = parseRequest(Self.complete + "BODY")
        let expected = HTTPRequestHead(
            method: .post,
            target: "/a/b%20c?q=1&name[]=x",
            headers: ["Host": "example.org:9090", "X-Empty": "", "x-Tab": "a b"]
        )
        #expect(outcome == .head(expected, length: Self.complete.utf8.count))
    }

    @Test func waitsForMoreAfterAnyTruncation() {
        let bytes = Array(Self.complete.utf8)
        for count in 0..<bytes.count {
            #expect(parseRequest(Array(bytes[..<count])) == .incomplete, "after \(count) bytes")
        }
    }

    @Test func skipsOneLeadingEmptyLine() {
        let expected = HTTPRequestHead(method: .get, target: "/", headers: ["Host": "a"])
        #expect(parseRequest("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == .head(expected, length: 29))
        #expect(parseRequest("\r") == .incomplete)
        #expect(parseRequest("\r\n") == .incomplete)
        #expect(parseRequest("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == .rejected(.startLine, status: 400))
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", 0), ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 1),
        ("GET / HTTP/1.9\r\nHost: a\r\n\r\n", 1),
    ])
    func parsesVersions(text: String, minor: Int) throws {
        guard case .head(let head, _) = parseRequest(text) else {
            Issue.record("rejected")
            return
        }
        #expect(head.minorVersion == minor)
    }

    @Test(arguments: [
        ("GET / \r\n\r\n", HTTPWireError.Code.startLine, 400),
        ("GET /\r\n\r\n", .startLine, 400),
        ("GET\r\n\r\n", .startLine, 400),
        ("\r\nGET  / HTTP/1.1\r\n\r\n", .startLine, 400),
        ("GET /  HTTP/1.1\r\n\r\n", .startLine, 400),
        ("GET / HTTP/1.1 \r\n\r\n", .startLine, 400),
        ("GET /a b HTTP/1.1\r\n\r\n", .startLine, 400),
        ("GET\t/ HTTP/1.1\r\n\r\n", .startLine, 400),
        (" GET / HTTP/1.1\r\n\r\n", .startLine, 400),
        ("G(T / HTTP/1.1\r\n\r\n", .startLine, 400),
        ("Extra lineGET / HTTP/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .startLine, 400),
        ("GET / HTTP/11\r\nHost: a\r\n\r\n", .startLine, 400),
        ("GET / HTTP/a.b\r\nHost: a\r\n\r\n", .startLine, 400),
        ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", .version, 505),
        ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", .version, 505),
        ("PRI * HTTP/2.0\r\n\r\n", .version, 505),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .method, 501),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGH", .method, 501),
        ("GET / HTTP/1.1\nHost: a\n\n", .lineEnding, 400),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .lineEnding, 400),
        ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .lineEnding, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n\rX: b\r\n\r\n", .lineEnding, 400),
        ("\rGET", .lineEnding, 400),
        ("\n", .lineEnding, 400),
        ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", .controlCharacter, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7}\r\n\r\n", .controlCharacter, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", .controlCharacter, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n", .controlCharacter, 400),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n\tfolded\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Invalid[]: b\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nÄ: b\r\n\r\n", .field, 400),
        ("GET / HTTP/1.1\r\n\r\n", .host, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .host, 400),
        ("GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", .host, 400),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", .host, 400),
        ("GET http://a/ HTTP/1.1\r\n\r\n", .host, 400),
        ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET /#part HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET /a%2 HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("GET /\"<x>\" HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        ("\u{16}\u{3}\u{1}", .controlCharacter, 400),
    ])
    func rejectsInvalidHeads(text: String, code: HTTPWireError.Code, status: Int) {
        #expect(parseRequest(text) == .rejected(code, status: status))
    }

    @Test(arguments: [
        "a", "a:1", "a:", "example.org:65535", "127.0.0.1:80", "[::1]", "[::1]:9090", "[fe80::1%25eth0]", "under_score",
        "xn--bcher-kva.example", "a.",
    ])
    func acceptsHost(value: String) {
        let expected = HTTPRequestHead(method: .get, target: "/", headers: ["Host": value])
        let text = "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n"
        #expect(parseRequest(text) == .head(expected, length: text.utf8.count))
    }

    @Test(arguments: [
        "a b", "a/b", "a:b", "a:65536", "a:99999999999999999999", "a:1:2", "[::1", "[]", "[::1]x", "::1", ":80", "u@a",
        "http://a", "a?b", "<a>", "é",
    ])
    func rejectsAnInvalidHost(value: String) {
        #expect(parseRequest("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n") == .rejected(.host, status: 400))
    }

    @Test(arguments: [
        ("GET http://b:1/x?y HTTP/1.1", "/x?y", "b:1"), ("GET HTTPS://b HTTP/1.1", "/", "b"),
        ("GET http://b?x HTTP/1.1", "/?x", "b"), ("OPTIONS http://b HTTP/1.1", "*", "b"),
        ("OPTIONS * HTTP/1.1", "*", "a"), ("GET http://[::1]:80/ HTTP/1.1", "/", "[::1]:80"),
        ("GET // HTTP/1.1", "//", "a"), ("GET /?%zz HTTP/1.1", "/?%zz", "a"),
    ])
    func reducesTargetsToPathAndQuery(line: String, target: String, host: String) {
        guard case .head(let head, _) = parseRequest(line + "\r\nHost: a\r\n\r\n") else {
            Issue.record("rejected")
            return
        }
        #expect(head.target == target)
        #expect(head.headers.values(of: "Host") == [host])
    }

    @Test func keepsBytesThatAreNotUTF8() {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE9, 0xFF] + Array("\r\nY: é\r\n\r\n".utf8)
        guard case .head(let head, _) = parseRequest(bytes) else {
            Issue.record("rejected")
            return
        }
        #expect(head.headers["X"] == "\u{E9}\u{FF}")
        #expect(head.headers["Y"] == "é")
    }

    @Test(arguments: [false, true])
    func limitsTheRequestLine(isComplete: Bool) {
        let limits = HTTPLimits(maxStartLineBytes: 64)
        let fits = "GET /" + String(repeating: "a", count: 64 - 14) + " HTTP/1.1"
        #expect(fits.utf8.count == 64)
        let end = isComplete ? "\r\nHost: a\r\n\r\n" : ""
        if case .rejected = parseRequest(fits + end, limits: limits) { Issue.record("rejected at the limit") }
        let over = "GET /a" + fits.dropFirst(5)
        #expect(parseRequest(over + end, limits: limits) == .rejected(.startLineTooLong, status: 414))
    }

    @Test(arguments: [false, true])
    func limitsTheFields(isComplete: Bool) {
        let limits = HTTPLimits(maxHeaderBytes: 100)
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        let fits = start + "X: " + String(repeating: "b", count: 100 - 9 - 5) + (isComplete ? "\r\n\r\n" : "")
        if case .rejected = parseRequest(fits, limits: limits) { Issue.record("rejected at the limit") }
        let over = start + "X: " + String(repeating: "b", count: 101 - 9 - 5) + (isComplete ? "\r\n\r\n" : "")
        #expect(parseRequest(over, limits: limits) == .rejected(.headersTooLarge, status: 431))
    }

    @Test func limitsTheNumberOfFields() {
        let limits = HTTPLimits(maxHeaderCount: 3)
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        if case .rejected = parseRequest(start + "A:b\r\nA:b\r\n\r\n", limits: limits) { Issue.record("rejected") }
        #expect(
            parseRequest(start + "A:b\r\nA:b\r\nA:b\r\n", limits: limits) == .rejected(.headersTooLarge, status: 431)
        )
    }

    @Test(
        arguments: [
            (1, nil, true), (1, "close", false), (1, "x, Close", false),
            (0, nil, false), (0, "Keep-Alive", true),
            (0, "keep-alive, close", false),
            (1, "closed", true),
        ] as [(Int, String?, Bool)]
    )
    func determinesWhetherTheConnectionPersists(minor: Int, connection: String?, keeps: Bool) {
        var headers = HTTPFields()
        headers["Connection"] = connection
        #expect(HTTPRequestHead(method: .get, target: "/", minorVersion: minor, headers: headers).keepsAlive == keeps)
        #expect(HTTPResponseHead(status: .ok, minorVersion: minor, headers: headers).keepsAlive == keeps)
    }

    @Test func parsesExpectations() throws {
        var head = HTTPRequestHead(method: .post, target: "/", headers: ["Expect": "100-Continue"])
        #expect(try head.expectsContinue())
        head.headers = [:]
        #expect(try !head.expectsContinue())
        head.headers = ["Expect": "100-continue", "expect": "tea"]
        let error = #expect(throws: HTTPWireError.self) { try head.expectsContinue() }
        #expect(error?.code == .expectation)
        #expect(error?.status == .expectationFailed)
        head.minorVersion = 0
        #expect(try !head.expectsContinue())
    }
}
