// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("Body framing on the wire")
struct WireBodyFramingTests {
    private func frameRequest(_ headers: HTTPFields, minor: Int = 1) throws -> HTTPBodyFraming {
        try HTTPBodyFraming.request(
            HTTPRequestHead(method: .post, target: "/", minorVersion: minor, headers: headers),
            limits: HTTPLimits(maxBodyBytes: 1000)
        )
    }

    private func frameResponse(
        _ headers: HTTPFields,
        _ status: HTTPStatus = .ok,
        to method: HTTPMethod = .get,
        minor: Int = 1
    ) throws -> HTTPBodyFraming {
        try HTTPBodyFraming.response(
            HTTPResponseHead(status: status, minorVersion: minor, headers: headers),
            to: method,
            limits: HTTPLimits(maxBodyBytes: 1000)
        )
    }

    @Test(
        arguments: [
            ("", HTTPBodyFraming.none), ("Content-Length: 0", .none), ("content-length: 1000", .length(1000)),
            ("Content-Length: 007", .length(7)), ("Transfer-Encoding: chunked", .chunked),
            ("Transfer-encoding: Chunked", .chunked),
        ] as [(String, HTTPBodyFraming)]
    )
    func framesRequests(headers: String, framing: HTTPBodyFraming) throws {
        #expect(try frameRequest(fields(headers)) == framing)
    }

    @Test(
        arguments: [
            ("Content-Length: ", HTTPWireError.Code.bodyLength, 400),
            ("Content-Length: -1", .bodyLength, 400),
            ("Content-Length: -123456789123456789123456789", .bodyLength, 400),
            ("Content-Length: +1", .bodyLength, 400),
            ("Content-Length: 1 2", .bodyLength, 400),
            ("Content-Length: 1, 1", .bodyLength, 400),
            ("Content-Length: 0x10", .bodyLength, 400),
            ("Content-Length: abc", .bodyLength, 400),
            ("Content-Length: ١", .bodyLength, 400),
            ("Content-Length: 1001", .bodyTooLarge, 413),
            ("Content-Length: 123456789123456789123456789", .bodyTooLarge, 413),
            ("Content-Length: 5\nContent-Length: 5", .bodyLength, 400),
            ("Content-Length: 5\ncontent-length: 6", .bodyLength, 400),
            ("Transfer-Encoding: chunked\nContent-Length: 5", .bodyLength, 400),
            ("Content-Length: 0\nTransfer-Encoding: chunked", .bodyLength, 400),
            ("Transfer-Encoding: ", .bodyLength, 400),
            ("Transfer-Encoding: identity", .bodyLength, 400),
            ("Transfer-Encoding: chunked, gzip", .bodyLength, 400),
            ("Transfer-Encoding: chunked, chunked", .bodyLength, 400),
            ("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", .bodyLength, 400),
            ("Transfer-Encoding: chunked,", .bodyLength, 400),
            ("Transfer-Encoding: ,chunked", .bodyLength, 400),
            ("Transfer-Encoding: xchunked", .bodyLength, 400),
            ("Transfer-Encoding: chunked;q=1", .bodyLength, 400),
            ("Transfer-Encoding: \"chunked\"", .bodyLength, 400),
            ("Transfer-Encoding: gzip, chunked", .transferCoding, 501),
            ("Transfer-Encoding: gzip\nTransfer-Encoding: chunked", .transferCoding, 501),
        ] as [(String, HTTPWireError.Code, Int)]
    )
    func rejectsRequests(headers: String, code: HTTPWireError.Code, status: Int) {
        let error = #expect(throws: HTTPWireError.self) { try frameRequest(fields(headers)) }
        #expect(error?.code == code)
        #expect(error?.status.code == status)
    }

    @Test func rejectsTransferEncodingInHTTP10() {
        let request = #expect(throws: HTTPWireError.self) {
            try frameRequest(["Transfer-Encoding": "chunked"], minor: 0)
        }
        #expect(request?.code == .bodyLength)
        let response = #expect(throws: HTTPWireError.self) {
            try frameResponse(["Transfer-Encoding": "chunked"], minor: 0)
        }
        #expect(response?.status == .badGateway)
    }

    @Test(
        arguments: [
            ("", 200, HTTPMethod.get, HTTPBodyFraming.untilClose), ("Content-Length: 5", 200, .get, .length(5)),
            ("Content-Length: 0", 200, .get, .none), ("Content-Length: 5", 200, .head, .none),
            ("Content-Length: 5\nContent-Length: 5", 200, .get, .length(5)),
            ("Transfer-Encoding: chunked", 200, .get, .chunked), ("Content-Length: 5", 304, .get, .none),
            ("", 204, .get, .none), ("", 100, .post, .none),
        ] as [(String, Int, HTTPMethod, HTTPBodyFraming)]
    )
    func framesResponses(headers: String, status: Int, method: HTTPMethod, framing: HTTPBodyFraming) throws {
        #expect(try frameResponse(fields(headers), HTTPStatus(code: status), to: method) == framing)
    }

    @Test(
        arguments: [
            ("Content-Length: 5\nContent-Length: 6", HTTPWireError.Code.bodyLength),
            ("Content-Length: x", .bodyLength), ("Content-Length: 1001", .bodyTooLarge),
            ("Transfer-Encoding: gzip, chunked", .transferCoding),
            ("Transfer-Encoding: chunked\nContent-Length: 1", .bodyLength),
        ] as [(String, HTTPWireError.Code)]
    )
    func rejectsResponses(headers: String, code: HTTPWireError.Code) {
        let error = #expect(throws: HTTPWireError.self) { try frameResponse(fields(headers)) }
        #expect(error?.code == code)
        #expect(error?.status == .badGateway)
    }
}
