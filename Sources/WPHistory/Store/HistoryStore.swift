// SPDX-License-Identifier: MIT

/// Reads the buckets of a history from a store.
public protocol HistoryReader: Sendable {
    /// Reads the non-empty buckets of a subject in chronological order.
    /// - Parameters:
    ///   - subject: the subject; an unknown one has no buckets.
    ///   - from: the minimum start of a bucket, in seconds since 1970.
    ///   - to: the exclusive upper bound of the start, in seconds since 1970.
    ///   - reduction: receives the buckets, after a call of ``HistoryReduction/begin()``.
    /// - Throws: ``HistoryStoreError``.
    func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws
}

extension HistoryReader {
    /// The buckets of a subject in chronological order, merged to a width.
    /// - Parameters:
    ///   - from: the minimum start of a bucket, in seconds since 1970.
    ///   - to: the exclusive upper bound of the start, in seconds since 1970.
    ///   - step: the width in seconds; wider stored buckets are unchanged.
    package func buckets(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        step: Int64
    ) async throws -> [HistoryBucket] {
        let reduction = HistoryReduction(step: step)
        try await read(of: subject, from: from, to: to, into: reduction)
        return reduction.finish()
    }
}

/// Stores a history. One ``History`` is its only writer and makes one change at a time; it may read meanwhile.
///
/// `HistoryStoreContract` in WPContracts tests an implementation.
public protocol HistoryStore: HistoryReader {
    /// Saves a batch atomically. Merges existing buckets with those of the batch (see ``HistoryBucket/merge(_:)``) and
    /// replaces the state of subjects.
    /// - Throws: ``HistoryStoreError``; earlier data is unchanged, unless the code is `damaged`.
    func write(_ batch: HistoryBatch) async throws

    /// Saves events atomically. Updates the end of an existing event. An ended event also ends open events with the
    /// same key from other programs. The subjects need not be saved before.
    /// - Throws: ``HistoryStoreError``.
    func write(_ events: [HistoryEvent]) async throws

    /// The events that match a query, latest first.
    /// - Throws: ``HistoryStoreError``.
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent]

    /// Every subject as last saved, in order.
    func subjects() async throws -> [HistorySubjectState]

    /// Removes buckets that started before a time, the oldest of each subject first, subjects without newer buckets or
    /// reports, and events that ended before that time. Afterwards, no query returns such a bucket, even if the store
    /// keeps it longer.
    /// - Parameters:
    ///   - before: the time, in seconds since 1970.
    ///   - limit: the maximum number of buckets to remove individually, to keep the call short; at least 1.
    /// - Returns: the number of individually removed buckets; less than the limit if none is left.
    func prune(before: Int64, limit: Int) async throws -> Int

    /// The last stored retention time, in seconds since 1970; nil before the first
    /// ``agree(onRetentionTime:)``.
    func retentionTime() async throws -> Double?

    /// Stores the retention time, in seconds since 1970.
    /// - Returns: the time to prune by: the argument, unless other programs that share the store have run for longer.
    func agree(onRetentionTime time: Double) async throws -> Double

    /// Removes a subject with all its buckets and events.
    /// - Returns: whether it existed.
    /// - Throws: ``HistoryStoreError``; the subject is then unchanged.
    func remove(_ subject: HistorySubject) async throws -> Bool

    /// The statistics of the content.
    func statistics() async throws -> HistoryStatistics

    /// Closes the store.
    func close() async
}

/// A store that several programs may write to.
package protocol SharedHistoryStore: HistoryStore {
    /// Whether several programs write to it. It then receives samples instead of buckets, and aggregates each one once.
    var isShared: Bool { get }

    /// Subjects saved by other programs since the last call; all subjects on the first call. Always empty if it is not
    /// shared.
    func changes() async throws -> [HistorySubjectState]
}

/// A batch to save.
public struct HistoryBatch: Sendable {
    /// Samples, for a shared store.
    package var samples: [HistorySamples] = []
    /// Buckets with their subjects.
    public var buckets: [(subject: HistorySubject, bucket: HistoryBucket)]
    /// Subjects that changed or have buckets in the batch.
    public var subjects: [HistorySubjectState]

    /// Creates a batch.
    public init(
        buckets: [(subject: HistorySubject, bucket: HistoryBucket)] = [],
        subjects: [HistorySubjectState] = []
    ) {
        self.buckets = buckets
        self.subjects = subjects
    }

    /// Whether it is empty.
    public var isEmpty: Bool { buckets.isEmpty && subjects.isEmpty && samples.isEmpty }
}

/// The state of a subject besides its buckets.
public struct HistorySubjectState: Sendable, Hashable {
    /// The subject.
    public var subject: HistorySubject
    /// The time of the last sample in a saved bucket, in seconds since 1970.
    public var lastSample: Double
    /// That sample's identity.
    public var identity: HistoryIdentity
    /// The counters of that sample.
    public var counters: [HistoryQuantity: Double]
    /// The last report as JSON; empty if there is none.
    public var document: [UInt8]
    /// The time since another program saved the state, in seconds by the store's clock; nil if the store has no clock.
    package var age: Double?

    /// Creates a state. Without an identity, the sample is identified by its time.
    public init(
        subject: HistorySubject,
        lastSample: Double,
        identity: HistoryIdentity? = nil,
        counters: [HistoryQuantity: Double] = [:],
        document: [UInt8] = []
    ) {
        self.subject = subject
        self.lastSample = lastSample
        self.identity = identity ?? HistoryIdentity(senderTime: lastSample)
        self.counters = counters
        self.document = document
    }
}

/// The statistics of a store.
public struct HistoryStatistics: Sendable, Hashable {
    /// The number of subjects.
    public var subjects: Int
    /// The number of buckets.
    public var buckets: Int
    /// The start of the first bucket, in seconds since 1970; nil if there is none.
    public var first: Int64?
    /// The start of the last bucket, in seconds since 1970; nil if there is none.
    public var last: Int64?
    /// The size of the store on disk in bytes; nil if unknown.
    public var bytes: Int?

    /// Creates statistics.
    public init(subjects: Int, buckets: Int, first: Int64? = nil, last: Int64? = nil, bytes: Int? = nil) {
        self.subjects = subjects
        self.buckets = buckets
        self.first = first
        self.last = last
        self.bytes = bytes
    }
}

/// An error while reading or writing a history.
public struct HistoryStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The library is not installed, or too old.
        case library
        /// Another process writes to it.
        case locked
        /// The database does not answer.
        case unreachable
        /// No space is left.
        case full
        /// The file was removed or replaced while open.
        case replaced
        /// The content is damaged.
        case damaged
        /// A newer version of the program has written it, or it belongs to another program.
        case foreign
        /// Any other error of the system or the database.
        case failed
    }

    /// The kind.
    public var code: Code
    /// What failed, on which file or server, why, and what to do.
    public var message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
