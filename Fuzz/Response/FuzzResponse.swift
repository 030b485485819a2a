// SPDX-License-Identifier: MIT

import WPHTTP

/// Bytes as a response on the wire: head, framing and a chunked body, which must decode to the same bytes whole or in
/// pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponse(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let limits = HTTPLimits(maxStartLineBytes: 200, maxHeaderBytes: 1000, maxHeaderCount: 20, maxBodyBytes: 1000)
    guard let (head, length) = try? HTTPHeadParser.parseResponseHead(bytes, limits: limits) else { return 0 }
    precondition(length <= count && (100...999).contains(head.status.code) && head.headers.all.count <= 20)
    for field in head.headers.all {
        precondition(!field.name.isEmpty && field.value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
    }
    guard let framing = try? HTTPBodyFraming.response(head, to: .get, limits: limits) else { return 0 }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(length))
    switch framing {
    case .length(let length): precondition((0...1000).contains(length))
    case .chunked: precondition(decode(body, by: body.count, limits) == decode(body, by: 1, limits))
    case .none, .untilClose: break
    }
    return 0
}

/// Decodes a chunked body in pieces of a given size; nil if it is rejected.
private func decode(_ bytes: UnsafeRawBufferPointer, by step: Int, _ limits: HTTPLimits) -> [UInt8]? {
    var decoder = ChunkedDecoder(limits: limits)
    var body: [UInt8] = []
    var rest = bytes
    while !rest.isEmpty, !decoder.isFinished {
        var piece = UnsafeRawBufferPointer(rebasing: rest.prefix(max(1, step)))
        let whole = piece.count
        while !piece.isEmpty, !decoder.isFinished {
            guard let used = try? decoder.decode(piece, into: &body) else { return nil }
            precondition(used <= piece.count)
            guard used > 0 else { break }
            piece = UnsafeRawBufferPointer(rebasing: piece.dropFirst(used))
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(whole))
    }
    precondition(body.count <= 1000)
    return decoder.isFinished ? body : []
}
