// SPDX-License-Identifier: MIT

import WPGzip
import WPSockets

/// Reads one response from a connection.
struct ResponseReader {
    private static let maxInterimResponses = 16

    let connection: ClientConnection
    let limits: HTTPLimits
    let context: CallContext

    /// Reads the response to a request.
    /// - Returns: the response, and whether the connection can be reused.
    func read(_ request: EncodedRequest) throws(ClientFault) -> (response: HTTPResponse, isReusable: Bool) {
        let head = try readFinalHead()
        let framing: HTTPBodyFraming
        do throws(HTTPWireError) {
            framing = try HTTPBodyFraming.response(head, to: request.method, limits: limits)
        } catch {
            throw ClientFault(error)
        }
        var response = HTTPResponse(status: head.status, headers: head.headers)
        let format = request.asksForCompression ? compression(head.headers) : nil
        var body = ResponseBody(format: format, limit: limits.maxBodyBytes)
        switch framing {
        case .none: break
        case .length(let count): try readBody(of: count, into: &body)
        case .chunked: try readChunks(into: &body)
        case .untilClose: try readToEnd(into: &body)
        }
        try body.finish()
        if format != nil, body.received > 0 {
            response.headers["Content-Encoding"] = nil
            response.headers["Content-Length"] = nil
        }
        response.body = .bytes(body.bytes)
        return (response, framing != .untilClose && head.keepsAlive && connection.input.isEmpty)
    }

    /// Reads the response to CONNECT, after which the connection is the tunnel (RFC 9110, section 9.3.6).
    func readTunnelStatus() throws(ClientFault) -> HTTPStatus {
        let status = try readFinalHead().status
        guard !status.isSuccess || connection.input.isEmpty else {
            throw ClientFault(.malformed, "the proxy sent more than its answer before the tunnel was used")
        }
        return status
    }

    /// Skips interim responses (RFC 9110, section 15.2).
    private func readFinalHead() throws(ClientFault) -> HTTPResponseHead {
        for _ in 0...Self.maxInterimResponses {
            let head = try readHead()
            if head.status.code >= 200 { return head }
            guard head.status.code != 101 else {
                throw ClientFault(.malformed, "the server switched protocols without being asked")
            }
        }
        throw ClientFault(.malformed, "the server sent more than \(Self.maxInterimResponses) interim responses")
    }

    private func readHead() throws(ClientFault) -> HTTPResponseHead {
        // Each attempt parses from the beginning, so try only at the start, after a line feed, and beyond all limits.
        // Otherwise a slow server would cause quadratic time.
        let most = limits.maxStartLineBytes + limits.maxHeaderBytes
        var seen = 0
        while true {
            let isDue =
                seen < 16 || connection.input[seen...].contains(HTTPSyntax.lineFeed) || connection.input.count > most
            if isDue, let (head, length) = try parseHead() {
                connection.input.removeFirst(length)
                return head
            }
            seen = connection.input.count
            guard try connection.receive(context) else {
                let phase = connection.hasReceived ? "in the middle of the response's head" : "without a response"
                throw ClientFault(.closed, "the server closed the connection \(phase)")
            }
        }
    }

    private func parseHead() throws(ClientFault) -> (HTTPResponseHead, Int)? {
        do throws(HTTPWireError) {
            return try connection.input.withUnsafeBufferPointer { (buffer) throws(HTTPWireError) in
                try HTTPHeadParser.parseResponseHead(UnsafeRawBufferPointer(buffer), limits: limits)
            }
        } catch {
            var fault = ClientFault(error)
            // A TLS alert or handshake record.
            if let first = connection.input.first, first == 0x15 || first == 0x16 {
                fault.reason += "; the server seems to speak TLS, so use https"
            }
            throw fault
        }
    }

    private func readBody(of count: Int, into body: inout ResponseBody) throws(ClientFault) {
        while true {
            let part = min(count - body.received, connection.input.count)
            try body.append(connection.input[..<part])
            connection.input.removeFirst(part)
            if body.received == count { return }
            guard try connection.receive(context) else { throw Self.truncatedBody }
        }
    }

    private func readChunks(into body: inout ResponseBody) throws(ClientFault) {
        var decoder = ChunkedDecoder(limits: limits)
        var piece: [UInt8] = []
        while true {
            let used: Int
            piece.removeAll(keepingCapacity: true)
            do throws(HTTPWireError) {
                used = try connection.input.withUnsafeBufferPointer { (buffer) throws(HTTPWireError) in
                    try decoder.decode(UnsafeRawBufferPointer(buffer), into: &piece)
                }
            } catch {
                throw ClientFault(error)
            }
            connection.input.removeFirst(used)
            try body.append(piece[...])
            if decoder.isFinished { return }
            guard try connection.receive(context) else { throw Self.truncatedBody }
        }
    }

    private func readToEnd(into body: inout ResponseBody) throws(ClientFault) {
        repeat {
            try body.append(connection.input[...])
            connection.input.removeAll(keepingCapacity: true)
        } while try connection.receive(context)
        // If the body ends with the connection, a reset or, over TLS, a missing close_notify may mean truncation.
        if connection.isTruncated { throw Self.truncatedBody }
    }

    /// The compression of the body (RFC 9110, section 8.4.1); nil if there is none, or it is unknown.
    private func compression(_ headers: HTTPFields) -> Inflater.Format? {
        let codings = headers.values(of: "Content-Encoding")
        guard let coding = codings.first, codings.count == 1 else { return nil }
        if HTTPFields.same(coding, "gzip") || HTTPFields.same(coding, "x-gzip") { return .gzip }
        return HTTPFields.same(coding, "deflate") ? .automatic : nil
    }

    private static let truncatedBody = ClientFault(
        .closed,
        "the server closed the connection in the middle of the body"
    )
}
