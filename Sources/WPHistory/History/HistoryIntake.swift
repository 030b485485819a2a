// SPDX-License-Identifier: MIT

/// Unsaved data: the open bucket of each subject (for a shared store, its samples) and pending writes.
struct HistoryIntake {
    /// The maximum number of pending buckets. Only long failures reach it; the oldest buckets are then dropped.
    static let maxPending = 100_000
    /// The maximum size of pending samples for a shared store, in bytes.
    static let maxPendingBytes = 128 << 20
    /// The maximum number of sample lists per write.
    static let samplesPerWrite = 2000

    struct Subject {
        /// The state to save, as of the last complete bucket.
        var saved: HistorySubjectState
        /// The time of the last recorded sample, by any program.
        var lastSample: Double
        /// That sample's identity.
        var identity: HistoryIdentity
        /// Identifies the samples that this program has recorded.
        var seen = SeenIdentities()
        /// The monotonic time of this program's last sample; nil if there is none.
        var recorded: Duration?
        var counters: [HistoryQuantity: Double]
        var document: HistoryDocument
        var open: HistoryBucket?
        var samples: HistorySamples?
        var isDirty = false

        init(_ state: HistorySubjectState, isShared: Bool) {
            saved = state
            lastSample = state.lastSample
            identity = state.identity
            // A shared store detects duplicates itself.
            if isShared { saved.counters = [:] } else { _ = seen.insert(state.identity) }
            counters = saved.counters
            document = HistoryDocument(state.document)
        }
    }

    typealias Pending = (subject: HistorySubject, bucket: HistoryBucket)

    let isShared: Bool
    /// The length of a bucket, in seconds.
    let seconds: Int64
    let maxSubjects: Int
    private(set) var subjects: [HistorySubject: Subject] = [:]
    private(set) var pending: [Pending] = []
    private var samples: [HistorySamples] = []
    private var sampleBytes = 0
    /// The data of the write in progress.
    private(set) var writing = HistoryBatch()
    /// Counts the starts and ends of writes.
    private(set) var writesBegunAndEnded = 0
    var status = History.Status(pendingBuckets: 0, droppedBuckets: 0, writes: 0, failedWrites: 0, subjects: 0)

    init(isShared: Bool, seconds: Int64, maxSubjects: Int) {
        self.isShared = isShared
        self.seconds = seconds
        self.maxSubjects = maxSubjects
    }

    /// The number of pending buckets or sample lists.
    var pendingCount: Int { pending.count + samples.count + writing.buckets.count + writing.samples.count }

    /// Updates a subject from the store.
    /// - Returns: whether anything changed.
    mutating func learn(_ state: HistorySubjectState) -> Bool {
        guard var known = subjects[state.subject] else {
            guard subjects.count < maxSubjects else { return false }
            subjects[state.subject] = Subject(state, isShared: isShared)
            return true
        }
        // Unsaved records of this program are newer than the store.
        guard known.samples == nil, state.identity != known.identity else { return false }
        known.lastSample = state.lastSample
        known.identity = state.identity
        known.document = HistoryDocument(state.document)
        subjects[state.subject] = known
        return true
    }

    /// Adds a sample. Samples arrive in chronological order; after a wall-clock step backwards, a sample goes to an
    /// earlier bucket.
    /// - Parameter now: the current monotonic time.
    mutating func record(_ sample: History.Sample, at now: Duration) -> History.Outcome {
        guard subjects[sample.subject] != nil || subjects.count < maxSubjects else { return .refused }
        let empty = HistorySubjectState(subject: sample.subject, lastSample: -.infinity)
        // Removed from the dictionary while it changes, to avoid a copy.
        var subject = subjects.removeValue(forKey: sample.subject) ?? Subject(empty, isShared: isShared)
        defer { subjects[sample.subject] = subject }
        guard subject.seen.insert(sample.identity) else { return .duplicate }
        if isShared {
            keep(sample, &subject)
        } else {
            aggregate(sample, &subject)
        }
        subject.lastSample = sample.time
        subject.identity = sample.identity
        subject.document = sample.document
        subject.recorded = now
        subject.isDirty = true
        return .recorded
    }

    private func keep(_ sample: History.Sample, _ subject: inout Subject) {
        var samples = subject.samples ?? HistorySamples(subject: sample.subject, seconds: seconds)
        subject.samples = nil
        samples.append(
            identity: sample.identity,
            time: Int64((sample.time * 1000).rounded()),
            values: sample.values,
            counters: sample.counters
        )
        subject.samples = samples
    }

    private mutating func aggregate(_ sample: History.Sample, _ subject: inout Subject) {
        let start = HistoryBucket.start(of: Int64(sample.time.rounded(.down)), step: seconds)
        if let open = subject.open, open.start != start { complete(&subject) }
        var bucket = subject.open ?? HistoryBucket(start: start, seconds: seconds, samples: 0)
        bucket.samples += 1
        for (quantity, value) in sample.values where Float(value).isFinite && !quantity.isCounter {
            bucket.add(HistoryBucket.Aggregate(quantity, value))
        }
        for (quantity, total) in sample.counters where total.isFinite && quantity.isCounter {
            if let before = subject.counters[quantity] { bucket.addGrowth(of: quantity, from: before, to: total) }
            subject.counters[quantity] = total
        }
        subject.open = bucket
    }

    /// Moves open data to pending writes.
    private mutating func complete(_ subject: inout Subject) {
        if let open = subject.open { pending.append((subject.saved.subject, open)) }
        if let list = subject.samples {
            samples.append(list)
            sampleBytes += list.size
        }
        guard subject.open != nil || subject.samples != nil else { return }
        (subject.open, subject.samples) = (nil, nil)
        subject.saved.lastSample = subject.lastSample
        subject.saved.identity = subject.identity
        subject.saved.counters = subject.counters
        subject.isDirty = true
    }

    /// Begins a write.
    /// - Parameter isOver: whether an open bucket is complete. Samples for a shared store are always complete.
    /// - Returns: the batch, which may be empty, and its subjects' documents, whose JSON the caller creates outside the
    ///   lock.
    mutating func beginWrite(_ isOver: (HistoryBucket) -> Bool) -> (HistoryBatch, [HistorySubject: HistoryDocument]) {
        for key in Array(subjects.keys) {
            guard let known = subjects[key], known.samples != nil || known.open.map(isOver) == true,
                var subject = subjects.removeValue(forKey: key)
            else { continue }
            complete(&subject)
            subjects[key] = subject
        }
        dropExcess()
        let first = Array(samples.prefix(Self.samplesPerWrite))
        samples.removeFirst(first.count)
        sampleBytes -= first.reduce(0) { $0 + $1.size }
        writing = HistoryBatch(buckets: pending)
        writing.samples = first
        pending = []
        writesBegunAndEnded += 1
        var documents: [HistorySubject: HistoryDocument] = [:]
        var states: [HistorySubjectState] = []
        for known in subjects.values where known.isDirty {
            subjects[known.saved.subject]?.isDirty = false
            states.append(known.saved)
            documents[known.saved.subject] = known.document
        }
        var batch = writing
        batch.subjects = states
        return (batch, documents)
    }

    /// Ends a write that succeeded.
    mutating func endWrite() {
        writing = HistoryBatch()
        writesBegunAndEnded += 1
        status.writes += 1
    }

    /// Ends a failed write: its data is pending again.
    mutating func failWrite(_ batch: HistoryBatch) {
        writesBegunAndEnded += 1
        pending = writing.buckets + pending
        samples = writing.samples + samples
        sampleBytes += writing.samples.reduce(0) { $0 + $1.size }
        writing = HistoryBatch()
        dropExcess()
        for state in batch.subjects { subjects[state.subject]?.isDirty = true }
        status.failedWrites += 1
    }

    /// Drops the oldest pending data beyond the limits.
    private mutating func dropExcess() {
        let excess = pending.count - Self.maxPending
        if excess > 0 {
            pending.removeFirst(excess)
            status.droppedBuckets += excess
        }
        guard sampleBytes > Self.maxPendingBytes else { return }
        var dropped = 0
        while dropped < samples.count, sampleBytes > Self.maxPendingBytes {
            sampleBytes -= samples[dropped].size
            dropped += 1
        }
        samples.removeFirst(dropped)
        status.droppedBuckets += dropped
    }

    /// Whether more data is pending than fits in one write.
    var hasMore: Bool { !samples.isEmpty }

    /// The unsaved buckets of a subject.
    func unsaved(of subject: HistorySubject) -> [HistoryBucket] {
        pending.filter { $0.subject == subject }.map(\.bucket) + (subjects[subject]?.open.map { [$0] } ?? [])
    }

    /// Removes a subject with its pending data. Must not be called during a write.
    /// - Returns: whether it was known.
    mutating func remove(_ subject: HistorySubject) -> Bool {
        pending.removeAll { $0.subject == subject }
        samples.removeAll { $0.subject == subject }
        sampleBytes = samples.reduce(0) { $0 + $1.size }
        return subjects.removeValue(forKey: subject) != nil
    }

    /// Removes subjects whose last report is before a time.
    /// - Parameters:
    ///   - time: the minimum time, in seconds since 1970.
    ///   - recorded: the same time on the monotonic clock, which applies to subjects recorded by this program, because
    ///     their wall-clock times may be wrong.
    mutating func forget(before time: Double, recorded: Duration) -> [HistorySubject] {
        let gone = subjects.values.filter { known in
            known.lastSample < time && known.recorded.map { $0 < recorded } ?? true
        }
        for known in gone { subjects[known.saved.subject] = nil }
        return gone.map(\.saved.subject)
    }

    /// The time of the newest known sample; nil if there is none.
    var newest: Double? { subjects.values.map(\.lastSample).filter(\.isFinite).max() }
}
