// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPMetrics

/// Makes the bodies of scrapes. Between two collections most of a body stays as it was: that part is neither encoded
/// nor compressed again, but copied.
final class ScrapeBody: Sendable {
    private struct Compressed {
        // Kept along, so that no other segment can have its identity.
        let segment: ExpositionSegment
        let piece: GzipPiece
    }

    private let cache = ExpositionCache()
    private let compressed = Mutex<[ExpositionFormat.Syntax: [ObjectIdentifier: Compressed]]>([:])

    /// The whole exposition.
    func plain(_ families: [MetricFamily], _ format: ExpositionFormat) -> [UInt8] {
        cache.encode(families, as: format).joined()
    }

    /// The whole exposition as a gzip file.
    func gzip(_ families: [MetricFamily], _ format: ExpositionFormat) throws(GzipError) -> [UInt8] {
        let segments = cache.encode(families, as: format)
        return try compressed.withLock { compressed throws(GzipError) in
            let known = compressed[format.syntax] ?? [:]
            var kept: [ObjectIdentifier: Compressed] = [:]
            var pieces: [GzipPiece] = []
            for segment in segments {
                let identity = ObjectIdentifier(segment)
                let piece: GzipPiece
                if let known = known[identity] {
                    piece = known.piece
                } else {
                    piece = try GzipPiece(compressing: segment.bytes)
                }
                pieces.append(piece)
                if segment.isKept { kept[identity] = Compressed(segment: segment, piece: piece) }
            }
            compressed[format.syntax] = kept
            return GzipPiece.join(pieces)
        }
    }
}
