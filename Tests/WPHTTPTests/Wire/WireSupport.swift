// SPDX-License-Identifier: MIT

import WPHTTP

/// The result of parsing: a head, a wait for more, or an error.
enum WireOutcome<Head: Equatable>: Equatable {
    case head(Head, length: Int)
    case incomplete
    case rejected(HTTPWireError.Code, status: Int)
}

func parseRequest(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> WireOutcome<HTTPRequestHead> {
    bytes.withUnsafeBytes { buffer in
        do throws(HTTPWireError) {
            guard let (head, length) = try HTTPHeadParser.parseRequestHead(buffer, limits: limits) else {
                return .incomplete
            }
            return .head(head, length: length)
        } catch {
            return .rejected(error.code, status: error.status.code)
        }
    }
}

func parseRequest(_ text: String, limits: HTTPLimits = HTTPLimits()) -> WireOutcome<HTTPRequestHead> {
    parseRequest(Array(text.utf8), limits: limits)
}

func parseResponse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> WireOutcome<HTTPResponseHead> {
    parseResponse(Array(text.utf8), limits: limits)
}

func parseResponse(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> WireOutcome<HTTPResponseHead> {
    bytes.withUnsafeBytes { buffer in
        do throws(HTTPWireError) {
            guard let (head, length) = try HTTPHeadParser.parseResponseHead(buffer, limits: limits) else {
                return .incomplete
            }
            return .head(head, length: length)
        } catch {
            return .rejected(error.code, status: error.status.code)
        }
    }
}

/// Fields from lines such as `Host: a`.
func fields(_ lines: String) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines.split(separator: "\n") {
        let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
        fields.append(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
    }
    return fields
}

/// The result of decoding a chunked body.
enum ChunkedOutcome: Equatable {
    case finished([UInt8], consumed: Int)
    case incomplete([UInt8])
    case rejected(HTTPWireError.Code, status: Int)
}

/// Decodes a body that arrives in fragments of a size.
func decodeChunked(_ bytes: [UInt8], pieces: Int = .max, limits: HTTPLimits = HTTPLimits()) -> ChunkedOutcome {
    var decoder = ChunkedDecoder(limits: limits)
    var output: [UInt8] = []
    var offset = 0
    do throws(HTTPWireError) {
        while offset < bytes.count, !decoder.isFinished {
            let end = offset + min(pieces, bytes.count - offset)
            let piece = Array(bytes[offset..<end])
            let consumed: Result<Int, HTTPWireError> = piece.withUnsafeBytes { buffer in
                do throws(HTTPWireError) {
                    return .success(try decoder.decode(buffer, into: &output))
                } catch {
                    return .failure(error)
                }
            }
            offset += try consumed.get()
        }
    } catch {
        return .rejected(error.code, status: error.status.code)
    }
    return decoder.isFinished ? .finished(output, consumed: offset) : .incomplete(output)
}
