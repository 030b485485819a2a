// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import WPHTTP

/// Codes and phrases of statuses, and configured limits.
struct HTTPStatusTests {
    @Test(arguments: [
        "100 Continue", "101 Switching Protocols", "200 OK", "201 Created", "202 Accepted", "204 No Content",
        "206 Partial Content", "301 Moved Permanently", "302 Found", "303 See Other", "304 Not Modified",
        "307 Temporary Redirect", "308 Permanent Redirect", "400 Bad Request", "401 Unauthorized", "403 Forbidden",
        "404 Not Found", "405 Method Not Allowed", "406 Not Acceptable", "408 Request Timeout", "409 Conflict",
        "411 Length Required", "413 Content Too Large", "414 URI Too Long", "415 Unsupported Media Type",
        "417 Expectation Failed", "421 Misdirected Request", "429 Too Many Requests",
        "431 Request Header Fields Too Large", "500 Internal Server Error", "501 Not Implemented", "502 Bad Gateway",
        "503 Service Unavailable", "504 Gateway Timeout", "505 HTTP Version Not Supported", "599",
    ])
    func hasTheReasonPhraseOfTheRFC(_ text: String) throws {
        let code = try #require(Int(text.prefix(3)))
        #expect(HTTPStatus(code: code).description == text)
        #expect(HTTPStatus(code: code, reason: "Other").description == "\(code) Other")
    }

    @Test func namesCommonStatuses() {
        let statuses: [(HTTPStatus, Int)] = [
            (.ok, 200), (.noContent, 204), (.badRequest, 400), (.unauthorized, 401), (.forbidden, 403),
            (.notFound, 404), (.methodNotAllowed, 405), (.requestTimeout, 408), (.contentTooLarge, 413),
            (.uriTooLong, 414), (.expectationFailed, 417), (.headerFieldsTooLarge, 431), (.internalServerError, 500),
            (.notImplemented, 501), (.serviceUnavailable, 503), (.versionNotSupported, 505), (.continue, 100),
            (.badGateway, 502),
        ]
        for (status, code) in statuses { #expect(status.code == code) }
    }

    @Test func isSuccessfulFrom200To299() {
        let codes = [199, 200, 299, 300]
        #expect(codes.map { HTTPStatus(code: $0).isSuccess } == [false, true, true, false])
    }

    @Test func allowsABodyExceptForInterimEmptyAndUnmodifiedResponses() {
        let codes = [100, 199, 200, 203, 204, 205, 303, 304, 305, 404]
        #expect(codes.filter { !HTTPStatus(code: $0).allowsBody } == [100, 199, 204, 304])
    }

    @Test func hasTheDocumentedLimits() throws {
        let limits = HTTPLimits()
        #expect(limits.maxStartLineBytes == 8192 && limits.maxHeaderBytes == 32_768)
        #expect(limits.maxHeaderCount == 100 && limits.maxBodyBytes == 4096)
        let client = HTTPClient.Configuration(origin: try HTTPOrigin(parsing: "http://h"))
        #expect(client.verification == .system && client.tlsServerName == nil && client.identity == nil)
        #expect(client.maxHeaderBytes == 65_536 && client.maxBodyBytes == 67_108_864)
        #expect(client.maxIdleTime == .seconds(60) && client.userAgent.isEmpty)
        #expect(client.proxy == nil && client.acceptsCompression)
    }

    @Test func acceptsALimitOfNothing() {
        for number in [0, -1] {
            let limits = HTTPLimits(
                maxStartLineBytes: number,
                maxHeaderBytes: number,
                maxHeaderCount: number,
                maxBodyBytes: number
            )
            #expect(limits.maxStartLineBytes == 0 && limits.maxHeaderBytes == 0)
            #expect(limits.maxHeaderCount == 0 && limits.maxBodyBytes == 0)
        }
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("TRACE", true),
        ("POST", false), ("PATCH", false), ("get", false),
    ])
    func repeatsOnlyIdempotentMethods(_ method: String, _ isIdempotent: Bool) {
        #expect(HTTPMethod(rawValue: method).isIdempotent == isIdempotent)
    }

    @Test func splitsTheTargetAtTheFirstQuestionMark() {
        let targets: [(String, Substring, Substring?)] = [
            ("/a", "/a", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("?b", "", "b"),
        ]
        for (target, path, query) in targets {
            let request = HTTPRequest(target: target)
            #expect(request.path == path && request.query == query)
        }
    }

    @Test func limitsTheBodyThatIsRead() async throws {
        var request = HTTPRequest(target: "/", body: [1, 2, 3])
        #expect(try await request.readBody() == [1, 2, 3])
        #expect(try await request.readBody(upTo: 3) == [1, 2, 3])
        await #expect(throws: HTTPWireError.bodyTooLarge) { try await request.readBody(upTo: 2) }
        #expect(request.arrival == 0 && request.route == nil)
        request.recordRoute("x")
        #expect(request.route == nil)
        let context = HTTPRequestContext()
        context.arrival.store(7, ordering: .relaxed)
        request.context = context
        request.recordRoute("x")
        #expect(request.arrival == 7 && request.route == "x")
    }

    @Test func joinsThePartsOfABody() {
        #expect(HTTPResponse(body: .parts([[1, 2], [], [3]])).bytes == [1, 2, 3])
        #expect(HTTPResponse(body: .stream { _ in }).bytes.isEmpty)
        #expect(HTTPResponse().status == .ok)
    }
}
