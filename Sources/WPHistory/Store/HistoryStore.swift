// SPDX-License-Identifier: MIT

/// Reads the buckets of a history.
package protocol HistoryReader: Sendable {
    /// Reads the buckets of a subject in the order of time. One without samples does not exist.
    /// - Parameters:
    ///   - from: the least start of a bucket, in seconds since 1970.
    ///   - to: what every start is less than.
    ///   - reduction: what they are added to, after its `begin()`; its `finish()` is the caller's.
    /// - Throws: ``HistoryStoreError``.
    func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws
}

extension HistoryReader {
    /// The buckets of a subject in the order of time, joined to a step.
    /// - Parameters:
    ///   - from: the least start of a bucket, in seconds since 1970.
    ///   - to: what every start is less than.
    ///   - step: the width to join to, in seconds; narrower buckets than the stored ones there are none.
    package func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64
    ) async throws -> [HistoryBucket] {
        let list = HistoryList()
        let reduction = HistoryReduction(step: step, into: list)
        try await read(of: subject, from: from, to: to, into: reduction)
        reduction.finish()
        return list.buckets
    }
}

/// Keeps the history beyond the life of the process. ``History`` is its only writer, unless it is shared.
package protocol HistoryStore: HistoryReader, HistoryEventStore {
    /// Whether several programs write to it at the same time. Such a store takes samples rather than buckets, and joins
    /// them itself, each once, however many programs report it.
    var isShared: Bool { get }

    /// Saves a batch, all or nothing. A bucket that is there already is joined with the one in the batch; what a subject
    /// is is replaced.
    /// - Throws: ``HistoryStoreError``; what was saved before is still there, unless the code is `damaged`.
    func write(_ batch: HistoryBatch) async throws

    /// Every subject as it was saved last.
    func subjects() async throws -> [HistorySubjectState]

    /// Subjects that other programs have saved since the last call, as they are now; at the first call, all. A store that
    /// is not shared has none.
    func changes() async throws -> [HistorySubjectState]

    /// Removes buckets that started before a moment, the oldest of each subject first, and subjects that were heard of
    /// last before it and have none left. Afterwards no query finds such a bucket, even if the store keeps it for longer.
    /// - Parameter limit: the most buckets to remove one by one, so that the call is short; at least 1.
    /// - Returns: how many it removed one by one; fewer than the limit when none is left.
    func prune(before: Int64, limit: Int) async throws -> Int

    /// The time by which points grow old, as it was stored last, in seconds since 1970; nil before the first
    /// ``agree(onRetentionTime:)``.
    func retentionTime() async throws -> Double?

    /// Stores the time by which points grow old.
    /// - Returns: the time to prune by: never later than the argument, unless other programs that share the store have run for
    ///   longer.
    func agree(onRetentionTime time: Double) async throws -> Double

    /// Removes a subject with all its buckets.
    /// - Returns: whether it was there.
    /// - Throws: ``HistoryStoreError``; then all of it is still there.
    func remove(_ subject: HistorySubject) async throws -> Bool

    /// How much there is.
    func statistics() async throws -> HistoryStatistics

    /// How often its file, or the lock beside it, was removed or replaced while it was open.
    var replacements: Int { get }

    /// Ends the use of the store.
    func close() async
}

extension HistoryStore {
    package var isShared: Bool { false }
    package var replacements: Int { 0 }
    package func changes() async throws -> [HistorySubjectState] { [] }
    package func retentionTime() async throws -> Double? { nil }
    package func agree(onRetentionTime time: Double) async throws -> Double { time }
}

/// What is saved at a time.
package struct HistoryBatch: Sendable {
    /// Samples, for a shared store.
    package var samples: [HistorySamples]
    /// Buckets with their subjects.
    package var buckets: [(subject: HistorySubject, bucket: HistoryBucket)]
    /// Subjects that changed, or whose buckets are in the batch.
    package var subjects: [HistorySubjectState]

    /// Creates a batch.
    package init(
        buckets: [(subject: HistorySubject, bucket: HistoryBucket)] = [],
        subjects: [HistorySubjectState] = [],
        samples: [HistorySamples] = []
    ) {
        self.samples = samples
        self.buckets = buckets
        self.subjects = subjects
    }

    /// Whether there is nothing to save.
    package var isEmpty: Bool { buckets.isEmpty && subjects.isEmpty && samples.isEmpty }
}

/// What is known of a subject besides its buckets.
package struct HistorySubjectState: Sendable, Hashable {
    /// The subject.
    package var subject: HistorySubject
    /// When the last sample was taken that a saved bucket holds, in seconds since 1970.
    package var lastSample: Double
    /// The same sample's identity.
    package var identity: HistoryIdentity
    /// The counters at that sample.
    package var counters: [HistoryQuantity: Double]
    /// What the subject reported last, as JSON; empty for none.
    package var document: [UInt8]
    /// How long ago another program saved that, in seconds by the store's own clock; nil where the store has none.
    package var age: Double?

    /// Creates a state.
    package init(
        subject: HistorySubject,
        lastSample: Double,
        identity: HistoryIdentity? = nil,
        counters: [HistoryQuantity: Double] = [:],
        document: [UInt8] = [],
        age: Double? = nil
    ) {
        self.age = age
        self.subject = subject
        self.lastSample = lastSample
        self.identity = identity ?? HistoryIdentity(senderTime: lastSample)
        self.counters = counters
        self.document = document
    }
}

/// How much a store holds.
package struct HistoryStatistics: Sendable, Hashable {
    /// The number of subjects.
    package var subjects: Int
    /// The number of buckets.
    package var buckets: Int
    /// The start of the first bucket, in seconds since 1970; nil without any.
    package var first: Int64?
    /// The start of the last bucket.
    package var last: Int64?
    /// What it takes on the disk, in bytes; nil where that is not known.
    package var bytes: Int?

    /// Creates statistics.
    package init(subjects: Int, buckets: Int, first: Int64? = nil, last: Int64? = nil, bytes: Int? = nil) {
        self.subjects = subjects
        self.buckets = buckets
        self.first = first
        self.last = last
        self.bytes = bytes
    }
}

/// Why a history could not be read or written.
package struct HistoryStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The library is not installed, or too old.
        case library
        /// Another process writes to it.
        case locked
        /// The database does not answer.
        case unreachable
        /// No space is left.
        case full
        /// Somebody removed or replaced the file while it was open.
        case replaced
        /// The content is damaged.
        case damaged
        /// A newer version of the program has written it, or it belongs to another program.
        case foreign
        /// Anything else that the system or the database reports.
        case failed
    }

    /// The kind.
    package var code: Code
    /// What was tried, on which file or server, how it failed, and the remedy.
    package var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
