// SPDX-License-Identifier: MIT

import WPCore
import WPGzip
import WPHTTP

/// How the body of a reply is sent.
enum Delivery: Sendable {
    /// With its length in Content-Length.
    case whole
    /// With chunked coding.
    case chunked
    /// With chunked coding, truncated halfway.
    case truncated
    /// With chunked coding, one byte at a time.
    case drip(interval: Duration, timeSource: any TimeSource)
    /// With chunked coding, padded with white space to this many bytes.
    case oversized(byteCount: Int)
    /// The same, compressed.
    case gzipBomb(byteCount: Int)

    private static let chunkSize = 4096

    func response(for reply: Reply) -> HTTPResponse {
        let body = reply.body
        var headers = reply.headers
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
        case .drip(let interval, let timeSource):
            stream = { writer in
                for byte in body {
                    try await writer.write([byte])
                    try await timeSource.sleep(for: interval)
                }
            }
        case .oversized(let byteCount):
            stream = { writer in
                try await Self.write(body[...], to: writer)
                try await Self.pad(from: body.count, to: byteCount) { try await writer.write($0) }
            }
        case .gzipBomb(let byteCount):
            headers["Content-Encoding"] = "gzip"
            stream = { writer in
                let compressor = try Compressor()
                var output: [UInt8] = []
                try body.withUnsafeBytes { try compressor.append($0, to: &output) }
                try await Self.pad(from: body.count, to: byteCount) { padding in
                    try padding.withUnsafeBytes { try compressor.append($0, to: &output) }
                    // The compressor buffers input before it produces output.
                    guard !output.isEmpty else { return }
                    try await writer.write(output)
                    output.removeAll(keepingCapacity: true)
                }
                try compressor.finish(to: &output)
                try await writer.write(output)
            }
        }
        return HTTPResponse(status: reply.status, headers: headers, body: .stream(stream))
    }

    /// Sends spaces in blocks. White space may follow JSON, so a parser has no reason to stop early.
    private static func pad(from start: Int, to end: Int, send: ([UInt8]) async throws -> Void) async throws {
        let block = [UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024)
        var rest = end - start
        while rest > 0 {
            try Task.checkCancellation()
            try await send(rest < block.count ? Array(block.prefix(rest)) : block)
            rest -= block.count
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to writer: any HTTPBodyWriter) async throws {
        var rest = bytes
        while !rest.isEmpty {
            try await writer.write(Array(rest.prefix(chunkSize)))
            rest = rest.dropFirst(chunkSize)
        }
    }
}

/// Thrown to truncate a body intentionally.
struct TruncatedBody: Error, CustomStringConvertible {
    var description: String { "The simulator truncates the body in this scenario." }
}
