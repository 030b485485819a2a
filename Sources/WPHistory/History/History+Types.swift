// SPDX-License-Identifier: MIT

package import WPModel

extension History {
    /// How a history is kept.
    package struct Configuration: Sendable, Hashable {
        /// The length of a bucket, in whole seconds from 1.
        package var interval: Duration
        /// How long buckets are kept; from 30 days on, 32 at least. A month has up to 31 days and begins earlier in other
        /// time zones, and its energy needs the first day until the last one has ended.
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

        /// How long buckets are kept, in seconds, with what a month needs.
        var kept: Double {
            let seconds = retention.inSeconds
            return seconds < 30 * 86_400 ? seconds : max(seconds, 32 * 86_400)
        }
    }

    /// What one sample says.
    package struct Sample: Sendable {
        /// The UPS or node.
        package var subject: HistorySubject
        /// When it was taken by the wall clock of the history, in seconds since 1970. It only labels the sample: order and
        /// repeats are decided by ``identity``.
        package var time: Double
        /// Tells it from others of its subject, whichever program takes it.
        package var identity: HistoryIdentity
        /// Values, each with the seconds that it stands for where they are known (a rate's), else 1.
        package var values: [(quantity: HistoryQuantity, value: Double)]
        /// Counters.
        package var counters: [(quantity: HistoryQuantity, total: Double)]
        /// What was reported.
        package var document: HistoryDocument

        /// Creates a sample. Values that are no numbers are left out.
        /// - Parameter identity: nil where only the time tells samples apart.
        package init(
            subject: HistorySubject,
            time: Double,
            identity: HistoryIdentity? = nil,
            values: [(quantity: HistoryQuantity, value: Double)] = [],
            counters: [(quantity: HistoryQuantity, total: Double)] = [],
            document: HistoryDocument = HistoryDocument()
        ) {
            self.subject = subject
            self.time = time
            self.identity = identity ?? HistoryIdentity(senderTime: time)
            self.values = values
            self.counters = counters
            self.document = document
        }
    }

    /// What became of a sample.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It counts.
        case recorded
        /// It was recorded before.
        case duplicate
        /// It is older than the retention.
        case expired
        /// The wall clock is certainly wrong, so that no point can be given to it. What counters grow meanwhile is in the first
        /// point after.
        case undated
        /// There are too many subjects.
        case refused
    }

    /// How the history fares.
    package struct Status: Sendable, Hashable {
        /// Why the last write failed; nil after a good one.
        package var failure: HistoryStoreError? {
            didSet { if failure == nil { failingSince = nil } }
        }
        /// When the first of the writes failed that have failed in a row; nil after a good one.
        package internal(set) var failingSince: TimePoint?
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
        /// How often the store's file, or the lock beside it, was removed or replaced while it was open.
        package var fileReplacements = 0
    }
}
