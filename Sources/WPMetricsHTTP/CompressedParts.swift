// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPMetrics

/// Compresses expositions, reusing unchanged parts of the last one: compressing the metrics of a thousand devices takes
/// 90 ms.
final class CompressedParts: Sendable {
    private struct CachedPart {
        var bytes: [UInt8]
        var piece: GzipPiece
    }

    private let kept = Mutex<[CachedPart]>([])

    /// The exposition as a gzip file.
    func gzip(_ parts: [[UInt8]]) throws(GzipError) -> [UInt8] {
        try kept.withLock { kept throws(GzipError) in
            var next: [CachedPart] = []
            next.reserveCapacity(parts.count)
            // Parts rarely change their order, so the search starts after the last match.
            var start = 0
            for part in parts {
                if let index = kept[start...].firstIndex(where: { $0.bytes == part }) {
                    next.append(kept[index])
                    start = index + 1
                } else {
                    next.append(CachedPart(bytes: part, piece: try GzipPiece(compressing: part)))
                }
            }
            kept = next
            return GzipPiece.join(next.map(\.piece))
        }
    }
}
