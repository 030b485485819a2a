// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("Response heads on the wire")
struct WireResponseHeadTests {
    private static let complete = "HTTP/1.1 404 Not Found Here\r\nContent-Length: 3\r\nServer: x\r\n\r\n"

    @Test func parsesAllComponents() {
        guard case .head(let head, let length) = parseResponse(Self.complete + "abc") else {
            Issue.record("rejected")
            return
        }
        #expect(head.status == .notFound)
        #expect(head.status.reason == "Not Found Here")
        #expect(head.minorVersion == 1)
        #expect(head.headers == ["Content-Length": "3", "Server": "x"])
        #expect(length == Self.complete.utf8.count)
    }

    @Test func waitsForMoreAfterAnyTruncation() {
        let bytes = Array(Self.complete.utf8)
        for count in 0..<bytes.count {
            #expect(parseResponse(Array(bytes[..<count])) == .incomplete, "after \(count) bytes")
        }
    }

    @Test(arguments: ["HTTP/1.0 200\r\n\r\n", "HTTP/1.0 200 \r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"])
    func acceptsAnyReasonPhrase(text: String) {
        guard case .head(let head, _) = parseResponse(text) else {
            Issue.record("rejected")
            return
        }
        #expect(head.status.description == "200 OK")
        #expect(head.minorVersion == 0)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH", HTTPWireError.Code.startLine), ("HTTP/1.1\r\n\r\n", .startLine),
        ("HTTP/1.1 20\r\n\r\n", .startLine), ("HTTP/1.1 2000\r\n\r\n", .startLine),
        ("HTTP/1.1 099 x\r\n\r\n", .startLine), ("HTTP/1.1 600 x\r\n\r\n", .startLine),
        ("HTTP/1.1 +20 x\r\n\r\n", .startLine), ("HTTP/1.1  200 OK\r\n\r\n", .startLine),
        ("HTTP/2.0 200 OK\r\n\r\n", .version), ("HTTP/1.1 200 OK\n\n", .lineEnding),
        ("HTTP/1.1 200 O\0K\r\n\r\n", .controlCharacter), ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .field),
        ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", .field),
        ("HTTP/1.1 200 " + String(repeating: "x", count: 9000), .startLineTooLong),
        ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 40_000), .headersTooLarge),
        ("HTTP/1.1 200 OK\r\n" + String(repeating: "A:\r\n", count: 101), .headersTooLarge),
    ])
    func rejectsInvalidHeads(text: String, code: HTTPWireError.Code) {
        #expect(parseResponse(text) == .rejected(code, status: 502))
    }
}
