// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPTestKit
import WPTestSupport

/// Valid messages with random mutations: the parser always respects its limits and is consistent.
@Suite("Damaged messages on the wire")
struct WireMutationTests {
    private static let limits = HTTPLimits(
        maxStartLineBytes: 60,
        maxHeaderBytes: 200,
        maxHeaderCount: 6,
        maxBodyBytes: 100
    )
    private static let requests = [
        "GET /metrics?name[]=up HTTP/1.1\r\nHost: a:9090\r\nAccept: text/plain;version=0.0.4\r\n\r\n",
        "POST http://[::1]:80/a%20b HTTP/1.0\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n0\r\n\r\n",
    ]
    private static let bodies = [
        "5\r\nhello\r\n0\r\n\r\n", "a;x=\"y\"\r\n0123456789\r\n1\r\nz\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    ]
    private static let bytesOfInterest: [UInt8] = [
        0, 9, 10, 13, 32, 35, 37, 42, 44, 47, 48, 57, 58, 59, 91, 93, 127, 128, 255,
    ]

    private func damage(_ text: String, with generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            let byte =
                Bool.random(using: &generator)
                ? Self.bytesOfInterest.randomElement(using: &generator) ?? 0
                : UInt8.random(in: 0...255, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = byte
            case 1: bytes.insert(byte, at: index)
            case 2: if bytes.count > 1 { bytes.remove(at: index) }
            case 3: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
            default: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0...10, using: &generator)))
            }
        }
        return bytes
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func parsesMutatedRequestHeadsSafely(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        var rejected = 0
        for round in 0..<5_000 {
            let bytes = damage(Self.requests[round % Self.requests.count], with: &generator)
            switch parseRequest(bytes, limits: Self.limits) {
            case .incomplete: #expect(bytes.count <= 60 + 200 + 6)
            case .rejected(_, let status):
                rejected += 1
                #expect([400, 414, 431, 501, 505].contains(status))
            case .head(let head, let length):
                accepted += 1
                #expect(length <= bytes.count)
                #expect(head.headers.all.count <= 6)
                // An accepted message can be written and parsed again.
                var written: [UInt8] = []
                try HTTPHeadWriter.write(head, to: &written)
                #expect(parseRequest(written) == .head(head, length: written.count))
                // No prefix may be accepted as complete or rejected.
                let cut = Int.random(in: 0..<length, using: &generator)
                #expect(parseRequest(Array(bytes[..<cut]), limits: Self.limits) == .incomplete)
            }
        }
        #expect(accepted > 100)
        #expect(rejected > 100)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func decodesBodiesIndependentlyOfFragmentation(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var finished = 0
        for round in 0..<5_000 {
            let bytes = damage(Self.bodies[round % Self.bodies.count], with: &generator)
            let whole = decodeChunked(bytes, limits: Self.limits)
            #expect(decodeChunked(bytes, pieces: 1, limits: Self.limits) == whole)
            #expect(decodeChunked(bytes, pieces: 3, limits: Self.limits) == whole)
            if case .finished(let body, _) = whole {
                finished += 1
                #expect(body.count <= 100)
            }
        }
        #expect(finished > 100)
    }
}
