// SPDX-License-Identifier: MIT

import WPHTTP

@testable import WPServer

/// Bytes as received on a connection: pipelined requests with bodies, parsed as by the server. Parsing them whole or in
/// pieces must yield the same requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    let whole = Reading(bytes, by: bytes.count)
    for step in [1, 7, 1 + Int(bytes.last ?? 0)] {
        let pieces = Reading(bytes, by: step)
        // A fault may be detected before all bytes have arrived, but a valid request must never be rejected.
        precondition(pieces.requests == whole.requests, "another reading in pieces of \(step)")
        precondition(pieces.isRefused == whole.isRefused, "another judgement in pieces of \(step)")
    }
    whole.requests.forEach(check)
    return 0
}

/// Small limits, so that the fuzzer reaches them.
private let limits = HTTPLimits(maxStartLineBytes: 200, maxHeaderBytes: 1000, maxHeaderCount: 20, maxBodyBytes: 1000)

/// The parsed requests of one connection.
private struct Reading {
    struct Request: Equatable {
        var head: HTTPRequestHead
        var body: [UInt8]
    }

    private(set) var requests: [Request] = []
    private(set) var isRefused = false
    private var input = InputBuffer()
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var decoder = ChunkedDecoder(limits: limits)

    init(_ bytes: [UInt8], by step: Int) {
        var rest = bytes[...]
        while !rest.isEmpty, !isRefused {
            rest.prefix(max(1, step)).withUnsafeBytes { input.append($0) }
            rest = rest.dropFirst(max(1, step))
            do {
                while try advance() {}
            } catch {
                precondition((400...599).contains(error.status.code) && !error.message.isEmpty)
                isRefused = true
            }
        }
    }

    /// - Returns: whether it made progress.
    private mutating func advance() throws(HTTPWireError) -> Bool {
        if let head { return try readBody(of: head) }
        guard !input.isEmpty, let (head, length) = try input.withBytes(parse) else { return false }
        precondition((1...input.count).contains(length))
        input.consume(length)
        self.head = head
        body = []
        decoder = ChunkedDecoder(limits: limits)
        return true
    }

    private mutating func readBody(of head: HTTPRequestHead) throws(HTTPWireError) -> Bool {
        _ = try head.expectsContinue()
        switch try HTTPBodyFraming.request(head, limits: limits) {
        case .none: break
        case .length(let length):
            precondition((1...limits.maxBodyBytes).contains(length))
            input.move(upTo: length - body.count, to: &body)
            guard body.count == length else { return false }
        case .chunked:
            var decoder = decoder
            var body = body
            let used = try input.withBytes { bytes throws(HTTPWireError) in try decoder.decode(bytes, into: &body) }
            input.consume(used)
            self.decoder = decoder
            self.body = body
            precondition(body.count <= limits.maxBodyBytes)
            guard decoder.isFinished else { return false }
        case .untilClose: preconditionFailure("a request's body that ends with the connection")
        }
        requests.append(Request(head: head, body: body))
        self.head = nil
        return true
    }
}

private func parse(
    _ bytes: UnsafeRawBufferPointer
) throws(HTTPWireError) -> (head: HTTPRequestHead, length: Int)? {
    try HTTPHeadParser.parseRequestHead(bytes, limits: limits)
}

/// Checks the guarantees that handlers rely on.
private func check(_ request: Reading.Request) {
    let head = request.head
    precondition(head.target == "*" || head.target.utf8.first == UInt8(ascii: "/"))
    precondition(head.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    precondition(!head.method.rawValue.isEmpty && head.method != .connect)
    precondition(head.headers.all.count <= limits.maxHeaderCount)
    precondition(head.headers.values(of: "Host").count == 1 || head.minorVersion == 0)
    precondition(head.headers.values(of: "Content-Length").count <= 1)
    precondition(head.headers["Content-Length"] == nil || head.headers["Transfer-Encoding"] == nil)
    for field in head.headers.all {
        precondition(!field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A })
        precondition(field.value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
    }
    let incoming = HTTPRequest(method: head.method, target: head.target, headers: head.headers, body: request.body)
    if let path = HTTPPath.canonical(incoming.path) {
        precondition(!path.split(separator: "/").contains { $0 == "." || $0 == ".." })
        precondition(path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
}
