// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("Chunked coding on the wire")
struct WireChunkedTests {
    private static let complete =
        "5\r\nhello\r\n1;name=\"va;l\";x\r\n,\r\n00006 ; a\r\n world\r\n0\r\nTrailer: one\r\nX:\r\n\r\n"

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func decodesAnyFragmentation(pieces: Int) {
        let bytes = Array(Self.complete.utf8)
        #expect(
            decodeChunked(bytes, pieces: pieces) == .finished(Array("hello, world".utf8), consumed: bytes.count)
        )
    }

    @Test func doesNotConsumeFollowingBytes() {
        let bytes = Array((Self.complete + "GET / HTTP/1.1").utf8)
        #expect(decodeChunked(bytes) == .finished(Array("hello, world".utf8), consumed: Self.complete.utf8.count))
    }

    @Test func waitsForMoreAfterAnyTruncation() {
        let bytes = Array(Self.complete.utf8)
        for count in 0..<bytes.count {
            guard case .incomplete(let body) = decodeChunked(Array(bytes[..<count])) else {
                Issue.record("not incomplete after \(count) bytes")
                continue
            }
            #expect(Array("hello, world".utf8).starts(with: body))
        }
    }

    @Test func decodesAnEmptyBody() {
        #expect(decodeChunked(Array("0\r\n\r\n".utf8)) == .finished([], consumed: 5))
    }

    @Test(arguments: [
        ("\r\n", HTTPWireError.Code.chunk), ("g\r\n", .chunk), ("-1\r\n", .chunk), ("+1\r\n", .chunk),
        ("0x5\r\n", .chunk), (" 5\r\n", .chunk), ("5 \r\n", .chunk), ("5\nhello", .chunk), ("5\r5", .chunk),
        ("5\r\nhelloX", .chunk), ("5\r\nhello\rX", .chunk), ("5\r\nhello\n", .chunk), ("5;a\nb", .chunk),
        ("5;a\0\r\n", .chunk), ("5;a\rb", .chunk), (";a\r\n", .chunk), ("00000000000000005\r\n", .chunk),
        ("0\r\nA\r\n\r\n", .field), ("0\r\n A: b\r\n\r\n", .field), ("0\r\nA : b\r\n\r\n", .field),
        ("0\r\n: b\r\n\r\n", .field), ("0\r\nA: b\n\r\n", .field), ("0\r\nA: \0\r\n\r\n", .field),
        ("0\r\nA: b\rc", .chunk), ("0\r\n\rX", .chunk), ("0\r\n\n", .field),
    ])
    func rejectsInvalidChunks(text: String, code: HTTPWireError.Code) {
        #expect(decodeChunked(Array(text.utf8)) == .rejected(code, status: 400))
        #expect(decodeChunked(Array(text.utf8), pieces: 1) == .rejected(code, status: 400))
    }

    @Test(arguments: ["b\r\n", "7fffffffffffffff\r\n", "ffffffffffffffff\r\n", "5\r\nhello\r\n6\r\n"])
    func limitsTheBody(text: String) {
        let limits = HTTPLimits(maxBodyBytes: 10)
        #expect(decodeChunked(Array(text.utf8), limits: limits) == .rejected(.bodyTooLarge, status: 413))
    }

    @Test func acceptsABodyOfExactlyTheLimit() {
        let bytes = Array("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n".utf8)
        let outcome = decodeChunked(bytes, limits: HTTPLimits(maxBodyBytes: 10))
        #expect(outcome == .finished(Array("helloworld".utf8), consumed: bytes.count))
    }

    @Test func limitsTheExtensionsOfTheWholeBody() {
        let limits = HTTPLimits(maxHeaderBytes: 100)
        let one = "1;" + String(repeating: "x", count: 49) + "\r\na\r\n"
        #expect(decodeChunked(Array((one + one).utf8), limits: limits) == .incomplete([0x61, 0x61]))
        #expect(decodeChunked(Array((one + one + one).utf8), limits: limits) == .rejected(.chunk, status: 400))
    }

    @Test func limitsTrailers() {
        let limits = HTTPLimits(maxHeaderBytes: 100, maxHeaderCount: 3)
        let few = "0\r\n" + String(repeating: "A:b\r\n", count: 3)
        #expect(decodeChunked(Array(few.utf8), limits: limits) == .incomplete([]))
        let many = few + "A:b\r\n"
        #expect(decodeChunked(Array(many.utf8), limits: limits) == .rejected(.headersTooLarge, status: 431))
        let long = "0\r\nA:" + String(repeating: "b", count: 99)
        #expect(decodeChunked(Array(long.utf8), limits: limits) == .rejected(.headersTooLarge, status: 431))
    }
}
