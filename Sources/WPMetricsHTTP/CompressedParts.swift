// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPMetrics

/// Compresses expositions. A part that was in the last exposition is not compressed again: a thousand devices take 90 ms.
final class CompressedParts: Sendable {
    private struct Kept {
        var bytes: [UInt8]
        var piece: GzipPiece
    }

    private let kept = Mutex<[Kept]>([])

    /// The whole exposition as a gzip file.
    func gzip(_ parts: [[UInt8]]) throws(GzipError) -> [UInt8] {
        try kept.withLock { kept throws(GzipError) in
            var next: [Kept] = []
            next.reserveCapacity(parts.count)
            // Parts seldom change their order, so that a part is looked for behind the one that was found last.
            var start = 0
            for part in parts {
                if let index = kept[start...].firstIndex(where: { $0.bytes == part }) {
                    next.append(kept[index])
                    start = index + 1
                } else {
                    next.append(Kept(bytes: part, piece: try GzipPiece(compressing: part)))
                }
            }
            kept = next
            return GzipPiece.join(next.map(\.piece))
        }
    }
}
