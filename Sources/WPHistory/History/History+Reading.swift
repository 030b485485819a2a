// SPDX-License-Identifier: MIT

import Synchronization

extension History {
    /// The last report of a subject and its time; nil if unknown.
    package func latest(of subject: HistorySubject) -> (document: HistoryDocument, time: Double)? {
        intake.withLock { intake in intake.subjects[subject].map { ($0.document, $0.lastSample) } }
    }

    /// The subjects of a kind with their last reports, sorted.
    package func latest(of kind: HistorySubject.Kind) -> [(
        subject: HistorySubject, document: HistoryDocument, time: Double
    )] {
        intake.withLock { intake in
            intake.subjects.filter { $0.key.kind == kind }.map { ($0.key, $0.value.document, $0.value.lastSample) }
        }.sorted { $0.0 < $1.0 }
    }

    /// The UPSes and nodes that the history knows, sorted.
    public var subjects: [HistorySubject] {
        intake.withLock { $0.subjects.keys.filter { $0.kind != .fleet } }.sorted()
    }

    /// The buckets of a subject in chronological order, including unsaved ones. For a shared store, includes only saved
    /// ones, because another program may have recorded the same samples.
    /// - Parameters:
    ///   - subject: the UPS or node.
    ///   - from: the minimum start of a bucket, in seconds since 1970.
    ///   - to: the exclusive upper bound of the start, in seconds since 1970.
    ///   - step: the width to which buckets are merged, in seconds; wider ones are unchanged.
    /// - Throws: ``HistoryStoreError`` if the store cannot be read.
    public func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64 = 1
    ) async throws -> [HistoryBucket] {
        var tries = 0
        while true {
            let (all, before) = intake.withLock { ($0.unsaved(of: subject), $0.writesBegunAndEnded) }
            let unsaved = isShared ? [] : all.filter { $0.start >= from && $0.start < to }
            // Stable, so that parts of a bucket keep their order.
            let ordered = unsaved.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            let reduction = HistoryReduction(step: step, unsaved: ordered.map(\.element))
            try await store.read(of: subject, from: from, to: to, into: reduction)
            // A concurrent write may be in both or in neither. Data in flight during the whole read is omitted, so that
            // a hanging disk does not block queries.
            tries += 1
            guard isShared || tries == 3 || before == intake.withLock(\.writesBegunAndEnded) else { continue }
            return reduction.finish()
        }
    }

    /// The statistics of the content.
    package func statistics() async throws -> HistoryStatistics {
        try await store.statistics()
    }
}
