// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging
package import WPModel

/// Collects samples in buckets, and knows the last thing that each subject reported.
///
/// ``record(_:)`` never waits. ``run()`` saves what is complete: at the end of each bucket, in one write. A crash loses the
/// buckets in flight; what counters grew in them is found in the next one, because the counters of the last saved bucket
/// are saved with it.
package final class History: Sendable {
    /// How a history is kept.
    package struct Configuration: Sendable, Hashable {
        /// The length of a bucket, in whole seconds from 1.
        package var interval: Duration
        /// How long buckets are kept.
        package var retention: Duration
        /// The most subjects; samples of more are refused.
        package var maxSubjects: Int

        /// Creates a configuration.
        package init(
            interval: Duration = .seconds(300),
            retention: Duration = .seconds(30 * 86_400),
            maxSubjects: Int = 10_000
        ) {
            self.interval = interval
            self.retention = retention
            self.maxSubjects = maxSubjects
        }

        var seconds: Int64 { max(1, interval.components.seconds) }
    }

    /// What one sample says.
    package struct Sample: Sendable {
        /// Of whom.
        package var subject: HistorySubject
        /// When it was taken, in seconds since 1970.
        package var time: Double
        /// Values, each with the seconds that it stands for where they are known (a rate's), else 1.
        package var values: [(quantity: HistoryQuantity, value: Double)]
        /// Counters.
        package var counters: [(quantity: HistoryQuantity, total: Double)]
        /// What was reported.
        package var document: HistoryDocument

        /// Creates a sample. Values that are no numbers are left out.
        package init(
            subject: HistorySubject,
            time: Double,
            values: [(quantity: HistoryQuantity, value: Double)] = [],
            counters: [(quantity: HistoryQuantity, total: Double)] = [],
            document: HistoryDocument = HistoryDocument()
        ) {
            self.subject = subject
            self.time = time
            self.values = values
            self.counters = counters
            self.document = document
        }
    }

    /// What became of a sample.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It counts.
        case recorded
        /// It is not later than the last one of its subject.
        case duplicate
        /// It is older than the retention.
        case expired
        /// There are too many subjects.
        case refused
    }

    /// How the history fares.
    package struct Status: Sendable, Hashable {
        /// Why the last write failed; nil after a good one.
        package var failure: HistoryStoreError?
        /// Buckets that wait to be saved.
        package var pendingBuckets: Int
        /// Buckets that were dropped because too many waited, since the start.
        package var droppedBuckets: Int
        /// Writes that succeeded and failed, since the start.
        package var writes: Int
        /// Writes that failed.
        package var failedWrites: Int
        /// The number of subjects.
        package var subjects: Int
    }

    /// More than this wait for the disk only when it has failed for long; the oldest are dropped then.
    static let maxPending = 100_000
    /// How many buckets one removal takes.
    static let pruneBatch = 2000

    private struct Subject {
        /// As it is to be saved: as of the last complete bucket.
        var saved: HistorySubjectState
        var lastSample: Double
        var counters: [HistoryQuantity: Double]
        var document: HistoryDocument
        var open: HistoryBucket?
        var isDirty = false
    }

    private struct State {
        var subjects: [HistorySubject: Subject] = [:]
        var pending: [(subject: HistorySubject, bucket: HistoryBucket)] = []
        /// What a write under way holds.
        var writing: [(subject: HistorySubject, bucket: HistoryBucket)] = []
        /// Counts the beginnings and the ends of writes.
        var writesBegunAndEnded = 0
        var status = Status(pendingBuckets: 0, droppedBuckets: 0, writes: 0, failedWrites: 0, subjects: 0)
    }

    /// How it is kept.
    package let configuration: Configuration
    private let store: any HistoryStore
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())
    private let writer = WriteTurn()

    /// Goes on where the store's content ends.
    /// - Throws: ``HistoryStoreError`` when the store can't be read.
    package init(
        _ store: any HistoryStore,
        configuration: Configuration = Configuration(),
        timeSource: any TimeSource,
        logger: Logger
    ) async throws {
        self.store = store
        self.configuration = configuration
        self.timeSource = timeSource
        self.logger = logger
        for saved in try await store.subjects() {
            state.withLock {
                $0.subjects[saved.subject] = Subject(
                    saved: saved,
                    lastSample: saved.lastSample,
                    counters: saved.counters,
                    document: HistoryDocument(saved.document)
                )
            }
        }
    }

    /// Adds a sample.
    @discardableResult
    package func record(_ sample: Sample) -> Outcome {
        let now = timeSource.now.secondsSince1970
        guard sample.time.isFinite, sample.time > now - configuration.retention.inSeconds else { return .expired }
        return state.withLock { state in
            guard state.subjects[sample.subject] != nil || state.subjects.count < configuration.maxSubjects else {
                return .refused
            }
            let empty = HistorySubjectState(subject: sample.subject, lastSample: -.infinity)
            // Out of the dictionary while it changes, so that it is not copied.
            var subject =
                state.subjects.removeValue(forKey: sample.subject)
                ?? Subject(saved: empty, lastSample: -.infinity, counters: [:], document: HistoryDocument())
            defer { state.subjects[sample.subject] = subject }
            guard sample.time > subject.lastSample else { return .duplicate }
            let start = HistoryBucket.start(of: Int64(sample.time.rounded(.down)), step: configuration.seconds)
            if let open = subject.open, open.start != start {
                Self.complete(&subject, &state)
            }
            var bucket = subject.open ?? HistoryBucket(start: start, seconds: configuration.seconds, samples: 0)
            bucket.samples += 1
            for (quantity, value) in sample.values where Float(value).isFinite && !quantity.isCounter {
                bucket.add(HistoryBucket.Aggregate(quantity, value))
            }
            for (quantity, total) in sample.counters where total.isFinite && quantity.isCounter {
                // One that went back was set anew: what it had grown until then is not known.
                if let before = subject.counters[quantity], total >= before {
                    bucket.add(HistoryBucket.Aggregate(quantity, total - before))
                }
                subject.counters[quantity] = total
            }
            subject.open = bucket
            subject.lastSample = sample.time
            subject.document = sample.document
            subject.isDirty = true
            return .recorded
        }
    }

    /// What a subject reported last and when; nil when it is not known.
    package func latest(of subject: HistorySubject) -> (document: HistoryDocument, time: Double)? {
        state.withLock { state in state.subjects[subject].map { ($0.document, $0.lastSample) } }
    }

    /// The subjects of a kind with what they reported last, in order.
    package func latest(of kind: HistorySubject.Kind) -> [(
        subject: HistorySubject, document: HistoryDocument, time: Double
    )] {
        state.withLock { state in
            state.subjects.filter { $0.key.kind == kind }.map { ($0.key, $0.value.document, $0.value.lastSample) }
        }.sorted { $0.0 < $1.0 }
    }

    /// How it fares.
    package var status: Status {
        state.withLock { state in
            var status = state.status
            status.subjects = state.subjects.count
            status.pendingBuckets = state.pending.count + state.writing.count
            return status
        }
    }

    /// The buckets of a subject, saved or not, joined to a step.
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
            let before = state.withLock(\.writesBegunAndEnded)
            let saved = try await store.buckets(of: subject, from: from, to: to, step: step)
            let (unsaved, after) = state.withLock { state in
                let waiting = state.pending.filter { $0.subject == subject }.map(\.bucket)
                let open = state.subjects[subject]?.open.map { [$0] } ?? []
                return (waiting + open, state.writesBegunAndEnded)
            }
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

    /// Saves complete buckets, and removes old ones, until the task is cancelled; then saves all.
    package func run() async {
        var pruned: Duration?
        while !Task.isCancelled {
            let now = timeSource.now
            if pruned.map({ now.monotonic - $0 >= .seconds(3600) }) ?? true {
                await prune()
                pruned = now.monotonic
            }
            let wait = Self.wait(at: now.secondsSince1970, interval: configuration.seconds)
            do { try await Task.sleep(for: .seconds(wait)) } catch { break }
            await save()
        }
        await saveAll()
    }

    /// The seconds to the next save: a little after the end of a bucket, for samples that come late, and a minute at most,
    /// so that a clock that is set does no harm.
    static func wait(at now: Double, interval: Int64) -> Double {
        let late = min(2, Double(interval) / 10)
        let next = (now / Double(interval)).rounded(.down) * Double(interval) + Double(interval) + late
        return min(max(next - now, 0.1), 60)
    }

    /// Saves the buckets whose time is over.
    package func save() async {
        let now = timeSource.now.secondsSince1970
        await save { Double($0.end) <= now }
    }

    /// Saves everything, as at the end of the program.
    package func saveAll() async {
        await save { _ in true }
    }

    /// Removes what is older than the retention, in short steps.
    package func prune() async {
        let before = Int64(timeSource.now.secondsSince1970 - configuration.retention.inSeconds)
        do {
            while try await store.prune(before: before, limit: Self.pruneBatch) == Self.pruneBatch {
                await Task.yield()
            }
        } catch {
            logger.warn("Old history could not be removed", ["error": .describing(error)])
        }
        state.withLock { state in
            for (subject, known) in state.subjects where known.lastSample < Double(before) {
                state.subjects[subject] = nil
            }
        }
    }

    /// Saves, and closes the store.
    package func close() async {
        await saveAll()
        await store.close()
    }

    private func save(_ isOver: @escaping @Sendable (HistoryBucket) -> Bool) async {
        await writer.take { [self] in
            let changed = state.withLock { state in
                for key in Array(state.subjects.keys) {
                    guard let open = state.subjects[key]?.open, isOver(open),
                        var subject = state.subjects.removeValue(forKey: key)
                    else { continue }
                    Self.complete(&subject, &state)
                    state.subjects[key] = subject
                }
                state.writing = state.pending
                state.pending = []
                state.writesBegunAndEnded += 1
                let subjects = state.subjects.values.filter(\.isDirty).map { ($0.saved, $0.document) }
                for (saved, _) in subjects { state.subjects[saved.subject]?.isDirty = false }
                return (buckets: state.writing, subjects: subjects)
            }
            let subjects = changed.subjects.map { saved, document in
                var saved = saved
                saved.document = document.bytes
                if !saved.lastSample.isFinite { saved.lastSample = 0 }
                return saved
            }
            let batch = HistoryBatch(buckets: changed.buckets, subjects: subjects)
            guard !batch.isEmpty else { return }
            do {
                try await store.write(batch)
                let failed = state.withLock { state in
                    state.writing = []
                    state.writesBegunAndEnded += 1
                    state.status.writes += 1
                    defer { state.status.failure = nil }
                    return state.status.failure
                }
                if failed != nil { logger.info("The history is saved again") }
            } catch {
                failed(batch, error)
            }
        }
    }

    private func failed(_ batch: HistoryBatch, _ error: any Error) {
        let failure =
            error as? HistoryStoreError
            ?? HistoryStoreError(code: .failed, message: "saving the history failed: \(error)")
        let isNew = state.withLock { state in
            state.writesBegunAndEnded += 1
            state.pending = state.writing + state.pending
            state.writing = []
            let excess = state.pending.count - Self.maxPending
            if excess > 0 {
                state.pending.removeFirst(excess)
                state.status.droppedBuckets += excess
            }
            for subject in batch.subjects { state.subjects[subject.subject]?.isDirty = true }
            state.status.failedWrites += 1
            defer { state.status.failure = failure }
            return state.status.failure?.code != failure.code
        }
        if isNew {
            logger.error(
                "The history can't be saved; it is kept in memory and tried again",
                ["error": .string(failure.message)]
            )
        }
    }

    /// Moves the open bucket to those that wait to be saved.
    private static func complete(_ subject: inout Subject, _ state: inout State) {
        guard let open = subject.open else { return }
        state.pending.append((subject.saved.subject, open))
        subject.open = nil
        subject.saved.lastSample = subject.lastSample
        subject.saved.counters = subject.counters
        subject.isDirty = true
    }

    private static func ordered(_ saved: [HistoryBucket], _ unsaved: [HistoryBucket]) -> [HistoryBucket] {
        // Stable, so that a part of a bucket follows the one that it belongs to.
        (saved + unsaved).enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
    }
}

/// Lets one at a time work with the store and what is on its way to it, in the order of asking.
private actor WriteTurn {
    private var last: Task<Void, Never>?

    func take(_ work: @escaping @Sendable () async -> Void) async {
        let before = last
        let task = Task {
            await before?.value
            await work()
        }
        last = task
        await task.value
    }
}
