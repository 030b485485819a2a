// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPMetrics

/// Makes the bodies of scrapes. What stayed as it was since the last one is neither encoded nor compressed again, nor
/// copied.
final class ScrapeBody: Sendable {
    private struct Compressed {
        // Kept along, so that no other segment can have its identity.
        let segment: ExpositionSegment
        let piece: GzipPiece
    }

    private let compressed = Mutex<[ExpositionFormat.Syntax: [ObjectIdentifier: Compressed]]>([:])

    /// A whole exposition, in parts.
    func plain(_ segments: [ExpositionSegment]) -> [[UInt8]] {
        segments.map(\.bytes)
    }

    /// A whole exposition as a gzip file.
    func gzip(_ segments: [ExpositionSegment], _ format: ExpositionFormat) throws(GzipError) -> [UInt8] {
        try compressed.withLock { compressed throws(GzipError) in
            let known = compressed[format.syntax] ?? [:]
            var kept: [ObjectIdentifier: Compressed] = [:]
            var pieces: [GzipPiece] = []
            for segment in segments {
                let identity = ObjectIdentifier(segment)
                let piece =
                    if let known = known[identity] { known.piece } else { try GzipPiece(compressing: segment.bytes) }
                pieces.append(piece)
                kept[identity] = Compressed(segment: segment, piece: piece)
            }
            compressed[format.syntax] = kept
            return GzipPiece.join(pieces)
        }
    }
}
