// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPHTTP
import WPMetrics

/// Compresses expositions. A segment that was in the last exposition is not compressed again.
final class CompressedSegments: Sendable {
    private struct Entry {
        // Kept so that no other segment can have its identity.
        let segment: ExpositionSegment
        let piece: GzipPiece
    }

    private typealias Entries = [ObjectIdentifier: Entry]

    /// Segments that change at each scrape, such as the numbers of requests, are not larger than this.
    private static let busySize = 4096
    /// Level 3 takes three fifths of the time of level 6 for them, and adds 20 bytes to a scrape of 2,400.
    private static let (busyLevel, standardLevel) = (3, 6)

    private let entries = Mutex<[ExpositionFormat.Syntax: Entries]>([:])

    /// A whole exposition as a gzip file.
    func gzip(_ segments: [ExpositionSegment], _ syntax: ExpositionFormat.Syntax) throws(GzipError) -> [UInt8] {
        try entries.withLock { entries throws(GzipError) in
            try Self.gzip(segments, &entries[syntax, default: [:]])
        }
    }

    /// A whole exposition as a gzip file, if that is little work.
    /// - Returns: nil when more than `limit` bytes would have to be compressed, or when another thread is compressing.
    func gzip(
        _ segments: [ExpositionSegment],
        _ syntax: ExpositionFormat.Syntax,
        compressingAtMost limit: Int
    ) throws(GzipError) -> [UInt8]? {
        let result = entries.withLockIfAvailable { entries -> Result<[UInt8]?, GzipError> in
            let known = entries[syntax] ?? [:]
            let work = segments.reduce(0) { known[ObjectIdentifier($1)] == nil ? $0 + $1.bytes.count : $0 }
            guard work <= limit else { return .success(nil) }
            return Result { () throws(GzipError) in try Self.gzip(segments, &entries[syntax, default: [:]]) }
        }
        return try result?.get() ?? nil
    }

    private static func gzip(_ segments: [ExpositionSegment], _ entries: inout Entries) throws(GzipError) -> [UInt8] {
        var kept: Entries = [:]
        var pieces: [GzipPiece] = []
        for segment in segments {
            let identity = ObjectIdentifier(segment)
            let piece =
                if let known = entries[identity] {
                    known.piece
                } else {
                    try GzipPiece(
                        compressing: segment.bytes,
                        level: segment.bytes.count <= busySize ? busyLevel : standardLevel
                    )
                }
            pieces.append(piece)
            kept[identity] = Entry(segment: segment, piece: piece)
        }
        entries = kept
        return GzipPiece.join(pieces)
    }
}

/// The last response, for other scrapes that were in flight together with it: a crowd of scrapes costs one exposition,
/// and none gets numbers older than its own request.
final class SharedScrape: Sendable {
    private struct Kept {
        let arrival: UInt64
        let variant: ScrapeVariant
        let response: HTTPResponse
    }

    private let last = Mutex<Kept?>(nil)

    /// The response to another request of the same arrival that asked for the same variant. Otherwise what is kept is
    /// released, so that its parts belong to the exposition alone again, which can then be changed in place.
    func response(to arrival: UInt64, _ variant: ScrapeVariant) -> HTTPResponse? {
        last.withLock { last in
            if let last, arrival != 0, last.arrival == arrival, last.variant.format == variant.format,
                last.variant.takesGzip == variant.takesGzip
            {
                return last.response
            }
            last = nil
            return nil
        }
    }

    /// Keeps a response that was made after requests of this arrival had arrived.
    func keep(_ response: HTTPResponse, _ arrival: UInt64, _ variant: ScrapeVariant) {
        guard arrival != 0 else { return }
        last.withLock { $0 = Kept(arrival: arrival, variant: variant, response: response) }
    }
}
