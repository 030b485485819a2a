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

    /// The buckets of a subject: see ``read(of:from:to:step:into:)``.
    package func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64 = 1
    ) async throws -> [HistoryBucket] {
        let list = HistoryList()
        try await read(of: subject, from: from, to: to, step: step, into: list)
        return list.buckets
    }

    /// Reads the buckets of a subject, saved or not, joined to a step. Of a shared store, only what is saved: another program
    /// may have taken the same samples.
    /// - Parameters:
    ///   - from: the least start, in seconds since 1970.
    ///   - to: what every start is less than.
    ///   - step: the width to join to, in seconds.
    ///   - sink: takes them in the order of time, on whatever thread the store reads.
    package func read(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64,
        into sink: any HistorySink
    ) async throws {
        var tries = 0
        while true {
            let (all, before) = intake.withLock { ($0.unsaved(of: subject), $0.writesBegunAndEnded) }
            let unsaved = store.isShared ? [] : all.filter { $0.start >= from && $0.start < to }
            // Stable, so that parts of a bucket stay in their order.
            let ordered = unsaved.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            let reduction = HistoryReduction(step: step, unsaved: ordered.map(\.element), into: sink)
            try await store.read(of: subject, from: from, to: to, into: reduction)
            // What a write took meanwhile may be in both or in neither. What is on its way to the disk during all of this
            // is left out, so that a disk that hangs keeps no query waiting.
            tries += 1
            guard store.isShared || tries == 3 || before == intake.withLock(\.writesBegunAndEnded) else { continue }
            return reduction.finish()
        }
    }

    /// How much there is.
    package func statistics() async throws -> HistoryStatistics {
        try await store.statistics()
    }
}
