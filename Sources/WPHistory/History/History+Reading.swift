// SPDX-License-Identifier: MIT

import Synchronization

extension History {
    /// What a subject reported last and when; nil when it is not known.
    package func latest(of subject: HistorySubject) -> (document: HistoryDocument, time: Double)? {
        intake.withLock { intake in intake.subjects[subject].map { ($0.document, $0.lastSample) } }
    }

    /// The subjects of a kind with what they reported last, in order.
    package func latest(of kind: HistorySubject.Kind) -> [(
        subject: HistorySubject, document: HistoryDocument, time: Double
    )] {
        intake.withLock { intake in
            intake.subjects.filter { $0.key.kind == kind }.map { ($0.key, $0.value.document, $0.value.lastSample) }
        }.sorted { $0.0 < $1.0 }
    }

    /// The buckets of a subject, saved or not, joined to a step. Of a shared store, only what is saved: another program may
    /// have taken the same samples.
    /// - Parameters:
    ///   - from: the least start, in seconds since 1970.
    ///   - to: what every start is less than.
    ///   - step: the width to join to, in seconds.
    package func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64 = 1
    ) async throws -> [HistoryBucket] {
        var tries = 0
        while true {
            let before = intake.withLock(\.writesBegunAndEnded)
            let saved = try await store.buckets(of: subject, from: from, to: to, step: step)
            if store.isShared { return saved }
            let (unsaved, after) = intake.withLock { ($0.unsaved(of: subject), $0.writesBegunAndEnded) }
            // What a write took meanwhile may be in both or in neither. What is on its way to the disk during all of this
            // is left out, so that a disk that hangs keeps no query waiting.
            tries += 1
            guard before == after || tries == 3 else { continue }
            var reduction = HistoryReduction(step: step)
            let recent = unsaved.filter { $0.start >= from && $0.start < to }
            if recent.isEmpty { return saved }
            for bucket in Self.ordered(saved, recent) { reduction.add(bucket) }
            return reduction.buckets
        }
    }

    /// How much there is.
    package func statistics() async throws -> HistoryStatistics {
        try await store.statistics()
    }

    private static func ordered(_ saved: [HistoryBucket], _ unsaved: [HistoryBucket]) -> [HistoryBucket] {
        // Stable, so that a part of a bucket follows the one that it belongs to.
        (saved + unsaved).enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
    }
}
