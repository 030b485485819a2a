// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPLogging
import WPTestKit

@testable import WPServer

@Suite("Values of a server at their limits")
struct ServerValueTests {
    @Test func namesEveryMonthAndWeekday() {
        // The first of each month of 1970, which began on a Thursday.
        let days = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        let dates = days.map { IMFFixdate.string(unixSeconds: Int64($0) * 86_400).prefix(11) }
        #expect(
            dates == [
                "Thu, 01 Jan", "Sun, 01 Feb", "Sun, 01 Mar", "Wed, 01 Apr", "Fri, 01 May", "Mon, 01 Jun",
                "Wed, 01 Jul", "Sat, 01 Aug", "Tue, 01 Sep", "Thu, 01 Oct", "Sun, 01 Nov", "Tue, 01 Dec",
            ]
        )
        let field = DateField()
        #expect(field.text(at: 1.999) == "Thu, 01 Jan 1970 00:00:01 GMT")
        #expect(field.text(at: 2) == "Thu, 01 Jan 1970 00:00:02 GMT")
        #expect(field.text(at: .infinity) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(field.text(at: -.infinity) == "Mon, 01 Jan 0001 00:00:00 GMT")
    }

    @Test(arguments: [
        (LimitedLog.Key.malformed, 10), (.handler, 10), (.unauthorized, 10), (.handshake, 10), (.rejected, 1),
        (.displaced, 1), (.exhausted, 1),
    ])
    func limitsRecordsPerMinute(_ key: LimitedLog.Key, _ count: Int) {
        let handler = CapturingLogHandler()
        var log = LimitedLog(handler.logger)
        func record(at milliseconds: Int) { log.record(key, at: .milliseconds(milliseconds), .warn, "m", [:]) }
        for _ in 0..<(count + 2) { record(at: 0) }
        #expect(handler.records.count == count)
        record(at: 59_999)
        #expect(handler.records.count == count)
        for _ in 0..<(count + 1) { record(at: 60_000) }
        #expect(handler.records.count == 2 * count)
        #expect(handler.records[count].fields["suppressed"] == .int(3))
        record(at: 119_999)
        #expect(handler.records.count == 2 * count)
    }

    @Test(
        arguments: [
            ("/a%2Db", "/a-b"), ("/a/./b", nil), ("/a/../b", nil), ("/..", nil), ("/...", "/..."),
            ("/a..b/.c", "/a..b/.c"),
            ("/%2e%2e/", nil), ("/a%2Fb", nil), ("/a%1Fb", nil), ("/a%20b", "/a b"), ("/a%7Eb", "/a~b"),
            ("/a%7Fb", nil),
            ("/%C3%A9", "/é"), ("/%C3", nil), ("/%", nil), ("/%zz", nil), ("", ""),
        ] as [(String, String?)]
    )
    func canonicalizesPaths(_ path: String, _ canonical: String?) {
        #expect(HTTPPath.canonical(path[...]) == canonical)
    }

    @Test func comparesInConstantTime() {
        for (left, right) in [("", ""), ("a", "a"), ("abc", "abc"), ("é", "é")] {
            #expect(ConstantTime.equal(left, right))
        }
        for (left, right) in [
            ("", "a"), ("a", ""), ("a", "b"), ("abc", "abd"), ("bbc", "abc"), ("abab", "ab"), ("ab", "abab"),
            ("\0", ""),
        ] {
            #expect(!ConstantTime.equal(left, right), "\(left) and \(right)")
        }
    }

    // MARK: Responses

    /// The fields of the encoded head without the status line, its body, and whether the connection persists.
    private func encoded(
        _ response: HTTPResponse,
        method: HTTPMethod = .get,
        minor: Int = 1,
        keeps: Bool = true
    ) throws -> (head: String, body: Int?, keeps: Bool) {
        let request = HTTPRequestHead(method: method, target: "/", minorVersion: minor)
        let encoded = try ResponseEncoder.encode(response, to: request, keepsConnection: keeps, date: "D")
        let head = String(decoding: encoded.head, as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 \(response.status)\r\n") && head.hasSuffix("\r\n\r\n"))
        let fields = head.split(separator: "\r\n").dropFirst().joined(separator: "; ")
        switch encoded.body {
        case .parts(let parts): return (fields, parts.reduce(0) { $0 + $1.count }, encoded.keepsConnection)
        case .stream(_, let isChunked): return (fields, isChunked ? nil : -1, encoded.keepsConnection)
        }
    }

    @Test func encodesTheLengthOfABody() throws {
        let bytes = HTTPResponse(body: .bytes([1, 2, 3]))
        #expect(try encoded(bytes) == ("Date: D; Content-Length: 3", 3, true))
        #expect(try encoded(bytes, keeps: false) == ("Date: D; Content-Length: 3; Connection: close", 3, false))
        #expect(try encoded(bytes, minor: 0) == ("Date: D; Content-Length: 3; Connection: keep-alive", 3, true))
        #expect(try encoded(bytes, method: .head) == ("Date: D; Content-Length: 3", 0, true))
        let parts = HTTPResponse(body: .parts([[1], [], [2, 3, 4]]))
        #expect(try encoded(parts) == ("Date: D; Content-Length: 4", 4, true))
        #expect(try encoded(parts, method: .head) == ("Date: D; Content-Length: 4", 0, true))
        #expect(try encoded(HTTPResponse(status: .noContent)) == ("Date: D", 0, true))
        let stream = HTTPResponse(body: .stream { _ in })
        #expect(try encoded(stream) == ("Date: D; Transfer-Encoding: chunked", nil, true))
        #expect(try encoded(stream, method: .head) == ("Date: D; Transfer-Encoding: chunked", 0, true))
        #expect(try encoded(stream, minor: 0) == ("Date: D; Connection: close", -1, false))
        #expect(try encoded(stream, method: .head, minor: 0) == ("Date: D; Connection: keep-alive", 0, true))
        #expect(throws: HTTPWireError.self) { _ = try encoded(HTTPResponse(status: HTTPStatus(code: 199))) }
        #expect(try encoded(HTTPResponse(status: .ok)).head == "Date: D; Content-Length: 0")
    }

    @Test func leavesTheConnectionToTheServer() throws {
        let headers: HTTPFields = [
            "date": "X", "Keep-Alive": "5", "Transfer-Encoding": "gzip", "Content-Length": "9", "Connection": "x",
            "A": "b",
        ]
        #expect(try encoded(HTTPResponse(headers: headers)) == ("date: X; A: b; Content-Length: 0", 0, true))
        let closing = HTTPResponse(headers: ["Connection": "x", "connection": "Close"])
        #expect(try encoded(closing) == ("Date: D; Content-Length: 0; Connection: close", 0, false))
        let digits = String(repeating: "1", count: 18)
        for (given, length) in [("9", "9"), (digits, digits), (digits + "1", "0"), ("", "0"), ("1/", "0"), ("1:", "0")]
        {
            let known = HTTPResponse(headers: ["Content-Length": given, "content-length": "7"])
            #expect(try encoded(known, method: .head).head == "Date: D; Content-Length: \(length)")
        }
    }

    @Test func joinsSmallOutput() {
        func joined(_ parts: [[UInt8]], upTo limit: Int, after sent: Int = 0) -> [UInt8] {
            var output = OutputBuffer(parts)
            output.advance(by: sent)
            output.join(upTo: limit)
            return output.withFirstPart { [UInt8]($0) }
        }
        #expect(joined([[1, 2], [3], [4]], upTo: 3) == [1, 2, 3])
        #expect(joined([[1, 2], [3], [4]], upTo: 2) == [1, 2])
        #expect(joined([[1, 2], [3], [4]], upTo: 4) == [1, 2, 3, 4])
        #expect(joined([[1, 2], [3], [4]], upTo: 9, after: 1) == [2])
        #expect(joined([[1, 2], [3], [4]], upTo: 9, after: 2) == [3])
        var whole = OutputBuffer([7, 8])
        whole.advance(by: -1)
        #expect(whole.remaining == 2)
        whole.advance(by: 1)
        #expect(whole.remaining == 1 && whole.withFirstPart { [UInt8]($0) } == [8])
    }

    // MARK: Routes

    @Test func listsItsRoutes() async throws {
        let answer = ClosureHTTPHandler { .text($0.target) }
        var router = HTTPRouter()
        router.on(.get, "/a", name: "one", answer)
        router.onPrefix(.put, "/p/", answer)
        router.onPrefix(.post, "/p/", name: "other", answer)
        router.mount("/m/", name: "first", answer)
        router.mount("/m/", name: "second", answer)
        #expect(router.hasRoute(.get, "/a") && !router.hasRoute(.put, "/a") && !router.hasRoute(.get, "/b"))
        #expect(router.isMounted("/m/") && !router.isMounted("/p/"))
        #expect(router.routes.map(\.name) == ["one"])
        let prefixes = router.prefixRoutes
        #expect(Set(prefixes.map(\.name)) == ["second", "/p/", "other"] && prefixes.count == 3)
        #expect(prefixes.first?.method == nil)
        let some = router.filtered { $0 == "/a" }
        #expect(some.routes.count == 1 && some.prefixRoutes.isEmpty)
        #expect(router.filtered { $0 == "/m/" }.prefixRoutes.count == 1)
        for (target, expected) in [("/ups", ""), ("/ups/x?y", "/x?y"), ("/ups/", "/")] {
            let reply = try await HTTPSubtree(prefix: "/ups", handler: answer).respond(to: HTTPRequest(target: target))
            #expect(String(decoding: reply.bytes, as: UTF8.self) == expected)
        }
        #expect(HTTPRouter.RouteExists(method: .get, path: "/a").description.hasSuffix("route for GET /a"))
    }
}
