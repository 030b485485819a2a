// SPDX-License-Identifier: MIT

import WPHTTP

/// How a reply goes over the wire.
enum Delivery: Sendable {
    /// With a length.
    case whole
    /// With chunked coding.
    case chunked
    /// With chunked coding, up to the half.
    case truncated
    /// With chunked coding, a byte at a time.
    case drip(interval: Duration, clock: any Clock<Duration>)
    /// With chunked coding, followed by white space up to this many bytes in all.
    case oversized(byteCount: Int)

    private static let chunkSize = 4096

    func response(for reply: Reply) -> HTTPResponse {
        let body = reply.body
        let stream: @Sendable (any HTTPBodyWriter) async throws -> Void
        switch self {
        case .whole:
            return HTTPResponse(status: reply.status, headers: reply.headers, body: .bytes(body))
        case .chunked:
            stream = { try await Self.write(body[...], to: $0) }
        case .truncated:
            stream = {
                try await Self.write(body.prefix(body.count / 2), to: $0)
                throw TruncatedBody()
            }
        case .drip(let interval, let clock):
            stream = { writer in
                for byte in body {
                    try await writer.write([byte])
                    try await clock.sleep(for: interval)
                }
            }
        case .oversized(let byteCount):
            stream = { writer in
                // White space may follow a JSON text, so that no parser has a reason to stop early.
                try await Self.write(body[...], to: writer)
                let padding = [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024)
                var rest = byteCount - body.count
                while rest > 0 {
                    try Task.checkCancellation()
                    try await writer.write(rest < padding.count ? Array(padding.prefix(rest)) : padding)
                    rest -= padding.count
                }
            }
        }
        return HTTPResponse(status: reply.status, headers: reply.headers, body: .stream(stream))
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to writer: any HTTPBodyWriter) async throws {
        var rest = bytes
        while !rest.isEmpty {
            try await writer.write(Array(rest.prefix(chunkSize)))
            rest = rest.dropFirst(chunkSize)
        }
    }
}

/// Ends a body before its end, on purpose.
struct TruncatedBody: Error, CustomStringConvertible {
    var description: String { "The simulator breaks the body off, as its scenario says." }
}
