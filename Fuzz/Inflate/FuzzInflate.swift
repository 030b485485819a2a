// SPDX-License-Identifier: MIT

import WPGzip

/// Bytes as a compressed body, in each format: the output never exceeds the limit and does not depend on how the stream
/// is split.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    for format in [Inflater.Format.gzip, .zlib, .automatic] {
        let whole = inflate(bytes, format, by: count)
        precondition(whole == inflate(bytes, format, by: 7))
    }
    return 0
}

private func inflate(_ bytes: UnsafeRawBufferPointer, _ format: Inflater.Format, by step: Int) -> [UInt8]? {
    let limit = 10_000
    var output: [UInt8] = []
    defer { precondition(output.count <= limit) }
    guard let inflater = try? Inflater(format: format, limit: limit) else { return nil }
    var rest = bytes
    while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(max(1, step)))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        guard (try? inflater.inflate(piece, into: &output)) != nil else { return nil }
    }
    guard (try? inflater.finish()) != nil else { return nil }
    return output
}
