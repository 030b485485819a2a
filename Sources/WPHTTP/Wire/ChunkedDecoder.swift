// SPDX-License-Identifier: MIT

/// Decodes chunked transfer coding (RFC 9112, section 7.1) incrementally.
///
/// Chunk extensions and trailers are validated, limited and dropped.
package struct ChunkedDecoder: Sendable {
    private enum State: Sendable {
        case size, sizeBlank, extensions, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed
        case lastLineFeed, finished
    }

    private static let maxSizeDigits = 16

    private let limits: HTTPLimits
    private var state = State.size
    private var sizeDigits = 0
    /// The size being parsed, then the number of bytes left in the chunk.
    private var remaining = 0
    private var bodyBytes = 0
    /// Bytes of extensions and of trailers, each with its own limit per body.
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerCount = 0

    /// Creates a decoder for one body.
    package init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Whether the body has ended, including its trailers.
    package var isFinished: Bool { state == .finished }

    /// Decodes the next bytes.
    /// - Parameters:
    ///   - input: the bytes after those already consumed.
    ///   - output: the array to which the body's bytes are appended.
    /// - Returns: the number of consumed bytes; fewer than given if the body ends.
    /// - Throws: ``HTTPWireError`` with status 400, 413 if the body exceeds its limit, 431 if trailers exceed theirs.
    ///   The decoder is then unusable.
    package mutating func decode(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8]
    ) throws(HTTPWireError) -> Int {
        var index = 0
        while index < input.count, state != .finished {
            if state == .data {
                let count = min(remaining, input.count - index)
                output.append(contentsOf: input[index..<(index + count)])
                index += count
                remaining -= count
                if remaining == 0 { state = .dataReturn }
            } else {
                try step(input[index])
                index += 1
            }
        }
        return index
    }

    private mutating func step(_ byte: UInt8) throws(HTTPWireError) {
        switch state {
        case .size: try stepSize(byte)
        case .sizeBlank:
            try countExtension()
            if byte == UInt8(ascii: ";") {
                state = .extensions
            } else if !HTTPSyntax.isBlank(byte) {
                throw Self.malformed
            }
        case .extensions:
            if byte == HTTPSyntax.carriageReturn {
                state = .sizeLineFeed
            } else {
                try countExtension()
                guard !HTTPSyntax.isControl(byte) else { throw Self.malformed }
            }
        case .sizeLineFeed:
            guard byte == HTTPSyntax.lineFeed else { throw Self.lineEnding }
            state = remaining == 0 ? .trailerStart : .data
        case .dataReturn:
            guard byte == HTTPSyntax.carriageReturn else {
                throw HTTPWireError(.chunk, "A chunk is longer than its size.")
            }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == HTTPSyntax.lineFeed else { throw Self.lineEnding }
            state = .size
            sizeDigits = 0
        case .lastLineFeed:
            guard byte == HTTPSyntax.lineFeed else { throw Self.lineEnding }
            state = .finished
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed: try stepTrailer(byte)
        case .data, .finished: break
        }
    }

    private mutating func stepSize(_ byte: UInt8) throws(HTTPWireError) {
        if let digit = HTTPSyntax.hexValue(byte) {
            sizeDigits += 1
            guard sizeDigits <= Self.maxSizeDigits else { throw Self.malformed }
            // Capped far above every limit, to avoid overflow before the comparison.
            remaining = min(remaining, Int.max >> 8) << 4 | digit
            return
        }
        guard sizeDigits > 0 else { throw Self.malformed }
        switch byte {
        case HTTPSyntax.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"):
            try countExtension()
            state = .extensions
        case HTTPSyntax.space, HTTPSyntax.tab:
            try countExtension()
            state = .sizeBlank
        default: throw Self.malformed
        }
        guard remaining <= limits.maxBodyBytes - bodyBytes else {
            throw HTTPWireError.bodyTooLarge
        }
        bodyBytes += remaining
    }

    private mutating func stepTrailer(_ byte: UInt8) throws(HTTPWireError) {
        switch state {
        case .trailerStart:
            if byte == HTTPSyntax.carriageReturn {
                state = .lastLineFeed
                return
            }
            trailerCount += 1
            guard HTTPSyntax.token.contains(byte) else { throw Self.trailer }
            state = .trailerName
        case .trailerName:
            if byte == HTTPSyntax.colon {
                state = .trailerValue
            } else if !HTTPSyntax.token.contains(byte) {
                throw Self.trailer
            }
        case .trailerValue:
            if byte == HTTPSyntax.carriageReturn {
                state = .trailerLineFeed
            } else if HTTPSyntax.isControl(byte) {
                throw Self.trailer
            }
        default:
            guard byte == HTTPSyntax.lineFeed else { throw Self.lineEnding }
            state = .trailerStart
        }
        trailerBytes += 1
        guard trailerBytes <= limits.maxHeaderBytes, trailerCount <= limits.maxHeaderCount else {
            throw HTTPWireError(
                .headersTooLarge,
                status: .headerFieldsTooLarge,
                "The trailers are larger than the limit."
            )
        }
    }

    private mutating func countExtension() throws(HTTPWireError) {
        extensionBytes += 1
        guard extensionBytes <= limits.maxHeaderBytes else {
            throw HTTPWireError(.chunk, "The chunk extensions are larger than the limit.")
        }
    }

    private static let malformed = HTTPWireError(.chunk, "A chunk's size line is malformed.")
    private static let lineEnding = HTTPWireError(.chunk, "A line of the chunked body does not end in CR LF.")
    private static let trailer = HTTPWireError(.field, "A trailer field is malformed.")
}
