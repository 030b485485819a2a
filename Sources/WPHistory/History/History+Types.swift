// SPDX-License-Identifier: MIT

public import WPCore
import WPModel

extension History {
    /// The configuration of a history.
    public struct Configuration: Sendable, Hashable {
        /// The length of a bucket, in whole seconds; at least 1.
        public var interval: Duration
        /// The retention of buckets. 30 days or more are extended to at least 32 days, so that monthly energy covers 31
        /// days in any time zone.
        public var retention: Duration
        /// The maximum number of subjects; samples of additional subjects are rejected.
        public var maxSubjects: Int

        /// Creates a configuration: by default, five minutes, 30 days and 10,000 subjects.
        public init(
            interval: Duration = .seconds(300),
            retention: Duration = .seconds(30 * 86_400),
            maxSubjects: Int = 10_000
        ) {
            self.interval = interval
            self.retention = retention
            self.maxSubjects = maxSubjects
        }

        var seconds: Int64 { max(1, interval.components.seconds) }

        /// The retention in seconds, extended to include a complete month.
        var kept: Double {
            let seconds = retention.inSeconds
            return seconds < 30 * 86_400 ? seconds : max(seconds, 32 * 86_400)
        }
    }

    /// A sample.
    public struct Sample: Sendable {
        /// The UPS or node.
        public var subject: HistorySubject
        /// Its wall-clock time in seconds since 1970.
        public var time: Double
        /// Identifies the sample among those of its subject from all programs; determines their order and duplicates.
        package var identity: HistoryIdentity
        /// The values of quantities that are not counters.
        public var values: [(quantity: HistoryQuantity, value: Double)]
        /// Counters, whose increase the history stores. A counter that decreased was reset.
        public var counters: [(quantity: HistoryQuantity, total: Double)]
        /// The report.
        package var document: HistoryDocument

        /// Creates a sample. NaN values are omitted. A second sample of the same subject and time, to the millisecond,
        /// is a duplicate.
        public init(
            subject: HistorySubject,
            time: Double,
            values: [(quantity: HistoryQuantity, value: Double)] = [],
            counters: [(quantity: HistoryQuantity, total: Double)] = []
        ) {
            self.subject = subject
            self.time = time
            identity = HistoryIdentity(senderTime: time)
            self.values = values
            self.counters = counters
            document = HistoryDocument()
        }

        /// Creates a sample. NaN values are omitted.
        /// - Parameter identity: nil if only the time identifies samples.
        package init(
            subject: HistorySubject,
            time: Double,
            identity: HistoryIdentity? = nil,
            values: [(quantity: HistoryQuantity, value: Double)] = [],
            counters: [(quantity: HistoryQuantity, total: Double)] = [],
            document: HistoryDocument = HistoryDocument()
        ) {
            self.init(subject: subject, time: time, values: values, counters: counters)
            if let identity { self.identity = identity }
            self.document = document
        }
    }

    /// The result of recording a sample.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It was recorded.
        case recorded
        /// It is a duplicate.
        case duplicate
        /// It is older than the retention period.
        case expired
        /// The wall clock is certainly wrong, so the sample has no valid time. The next point includes its counter
        /// increases.
        case undated
        /// There are too many subjects.
        case refused
    }

    /// History status.
    public struct Status: Sendable, Hashable {
        /// Why the last write failed; nil after a success.
        public package(set) var failure: HistoryStoreError? {
            didSet { if failure == nil { failingSince = nil } }
        }
        /// When the first of the consecutive failed writes failed; nil after a success.
        public internal(set) var failingSince: TimePoint?
        /// The number of complete buckets that wait to be saved.
        public package(set) var pendingBuckets: Int
        /// The number of dropped buckets since the start.
        public package(set) var droppedBuckets: Int
        /// The number of successful writes since the start.
        package var writes: Int
        /// The number of failed writes since the start.
        package var failedWrites: Int
        /// The number of subjects.
        public package(set) var subjects: Int
        /// How often the store's file or its lock was removed or replaced while open.
        package var fileReplacements = 0
    }
}
