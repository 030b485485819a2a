// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPHTTP
import WPMetrics

/// Compresses expositions. A segment that was in the last exposition is not compressed again.
final class CompressedSegments: Sendable {
    private let expositions = Mutex<[ExpositionFormat.Syntax: CompressedExposition]>([:])

    /// A whole exposition as a gzip file.
    func gzip(_ segments: [ExpositionSegment], _ syntax: ExpositionFormat.Syntax) throws(GzipError) -> [UInt8] {
        try expositions.withLock { expositions throws(GzipError) in
            try expositions[syntax, default: CompressedExposition()].gzip(segments)
        }
    }

    /// A whole exposition as a gzip file, if that is little work.
    /// - Returns: nil when more than `limit` bytes would have to be compressed, or when another thread is compressing.
    func gzip(
        _ segments: [ExpositionSegment],
        _ syntax: ExpositionFormat.Syntax,
        compressingAtMost limit: Int
    ) throws(GzipError) -> [UInt8]? {
        let result = expositions.withLockIfAvailable { expositions -> Result<[UInt8]?, GzipError> in
            guard expositions[syntax, default: CompressedExposition()].work(for: segments) <= limit else {
                return .success(nil)
            }
            return Result { () throws(GzipError) in
                try expositions[syntax, default: CompressedExposition()].gzip(segments)
            }
        }
        return try result?.get() ?? nil
    }
}

/// The compressed pieces of an exposition.
///
/// Most segments stay the same from scrape to scrape, and those that change stand at the same places. What stands between
/// these places is kept as one piece, since joining pieces is work for each of them.
private struct CompressedExposition {
    /// Segments that change at each scrape, such as the numbers of requests, are not larger than this.
    private static let busySize = 4096
    /// Level 3 takes three fifths of the time of level 6 for them, and adds 20 bytes to a scrape of 2,400.
    private static let (busyLevel, standardLevel) = (3, 6)

    // Kept so that no other segment can have the identity of one.
    private var segments: [ExpositionSegment] = []
    /// One for each segment.
    private var pieces: [GzipPiece] = []
    /// The places of segments that change, in order.
    private var changing: [Int] = []
    /// The places of those that changed at the last scrape.
    private var latest: [Int] = []
    /// What stands before each of those places and after the last.
    private var runs = [GzipPiece(merging: [])]

    /// How many bytes of an exposition have to be compressed.
    func work(for new: [ExpositionSegment]) -> Int {
        let changed = changes(in: new)
        guard !isUsual(changed) else { return changed?.reduce(0) { $0 + new[$1].bytes.count } ?? 0 }
        let known = Set(segments.map { ObjectIdentifier($0) })
        return new.reduce(0) { known.contains(ObjectIdentifier($1)) ? $0 : $0 + $1.bytes.count }
    }

    /// The exposition as a gzip file.
    mutating func gzip(_ new: [ExpositionSegment]) throws(GzipError) -> [UInt8] {
        let changed = changes(in: new)
        defer { latest = changed ?? [] }
        // A new reading of the devices changes nearly all places. Between two of them it is fewer, and two scrapes in a row
        // that agree on those are enough to settle on them.
        let settles = changed == latest && latest.count < changing.count
        if isUsual(changed), !settles {
            for place in changed ?? [] {
                pieces[place] = try Self.compress(new[place])
                segments[place] = new[place]
            }
        } else {
            try replace(with: new, changing: changed ?? [])
        }
        var parts = [runs[0]]
        parts.reserveCapacity(2 * changing.count + 1)
        for (place, run) in zip(changing, runs.dropFirst()) {
            parts.append(pieces[place])
            parts.append(run)
        }
        return GzipPiece.join(parts)
    }

    /// The places whose segment is another one than last time; nil when there are more or fewer segments.
    private func changes(in new: [ExpositionSegment]) -> [Int]? {
        new.count == segments.count ? new.indices.filter { new[$0] !== segments[$0] } : nil
    }

    /// Whether segments have changed only where they did before.
    private func isUsual(_ changed: [Int]?) -> Bool {
        changed?.allSatisfy { changing.contains($0) } ?? false
    }

    private mutating func replace(with new: [ExpositionSegment], changing places: [Int]) throws(GzipError) {
        let known = Dictionary(zip(segments.map { ObjectIdentifier($0) }, pieces)) { first, _ in first }
        var made: [GzipPiece] = []
        made.reserveCapacity(new.count)
        for segment in new {
            if let piece = known[ObjectIdentifier(segment)] {
                made.append(piece)
            } else {
                made.append(try Self.compress(segment))
            }
        }
        (segments, pieces, changing) = (new, made, places)
        var start = 0
        runs = []
        for place in places + [new.count] {
            runs.append(GzipPiece(merging: made[start..<place]))
            start = place + 1
        }
    }

    private static func compress(_ segment: ExpositionSegment) throws(GzipError) -> GzipPiece {
        try GzipPiece(
            compressing: segment.bytes,
            level: segment.bytes.count <= busySize ? busyLevel : standardLevel
        )
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
