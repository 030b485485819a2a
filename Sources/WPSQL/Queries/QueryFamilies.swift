// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPMetrics
import WPPostgres

/// The families of a file's metrics: the last result of each query, replaced as a whole.
package final class QueryFamilies: ImmediateCollector {
    /// The result of one query for one metric.
    private struct Share {
        var series: [Metric]
        /// The query's index in the file.
        var rank: Int
        /// When it expires; nil while the query succeeds.
        var expiry: Duration?
    }

    private struct Member {
        var shares: [Int: Share] = [:]
        var sums: [LabelSet: Accumulator] = [:]
        var isStale = false

        mutating func dropExpired(at now: Duration, _ expiration: Duration?) {
            let before = shares.count + sums.count
            shares = shares.filter { $1.expiry.map { $0 > now } ?? true }
            if let expiration, sums.values.contains(where: { $0.lastSeen + expiration <= now }) {
                sums = sums.filter { $1.lastSeen + expiration > now }
            }
            if shares.count + sums.count != before { isStale = true }
        }
    }

    private struct State {
        var members: [Member]
        var families: [MetricFamily]
    }

    /// Series of a task that another task also returns.
    struct Clash: Sendable, Hashable {
        /// The number of such series.
        var count: Int
        /// The labels of the first one.
        var labels: LabelSet
    }

    package let descriptors: [MetricDescriptor]
    /// The maximum number of accumulated series per metric.
    private let accumulatorLimit: Int
    private let metrics: [QueryFile.Metric]
    private let positions: [String: Int]
    private let bounds: [[Double]]
    private let timeSource: any TimeSource
    private let state: Mutex<State>
    private let scrapes = Mutex<[AsyncStream<Void>.Continuation]>([])

    /// - Parameters:
    ///   - accumulatorLimit: the maximum number of series of a histogram, summary or incremented counter.
    ///   - timeSource: the clock for expiration.
    /// - Throws: `MetricError` for a file that was not validated.
    package init(
        _ file: QueryFile,
        accumulatorLimit: Int = 100_000,
        timeSource: any TimeSource = .system
    ) throws(MetricError) {
        self.accumulatorLimit = accumulatorLimit
        metrics = file.metrics
        var descriptors: [MetricDescriptor] = []
        for metric in file.metrics {
            descriptors.append(try FamilyShape.descriptor(metric, databaseLabels: file.databaseLabelNames))
        }
        self.descriptors = descriptors
        positions = Dictionary(file.metrics.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        bounds = file.metrics.map { metric in
            metric.kind == .histogram ? metric.buckets ?? FamilyShape.standardBuckets : []
        }
        self.timeSource = timeSource
        state = Mutex(
            State(
                members: Array(repeating: Member(), count: file.metrics.count),
                families: descriptors.map { MetricFamily($0, []) }
            )
        )
    }

    /// The current families. Also starts the queries that run on scrapes; this scrape does not wait for them.
    package func collectNow() -> [MetricFamily] {
        scrapes.withLock { scrapes in
            scrapes.removeAll { scrape in
                if case .terminated = scrape.yield() { true } else { false }
            }
        }
        return state.withLock { state in
            let now = timeSource.now.monotonic
            // Families that are unchanged remain the same arrays, so that a scrape does not encode them again.
            for (position, metric) in metrics.enumerated() {
                state.members[position].dropExpired(at: now, metric.expiration)
                guard state.members[position].isStale else { continue }
                state.members[position].isStale = false
                state.families[position] = MetricFamily(
                    descriptors[position],
                    series(&state.members[position], position)
                )
            }
            return state.families
        }
    }

    /// A stream that signals each scrape.
    func scrapeSignals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        scrapes.withLock { $0.append(continuation) }
        return stream
    }

    /// Replaces the results of a task's query.
    /// - Returns: the series that other tasks return too, of which the last in the file is published; nil for none.
    /// - Throws: ``PostgresError`` if an accumulating metric would exceed its maximum number of series; nothing is
    ///   stored then.
    func store(
        _ task: Int,
        rank: Int,
        _ names: [String],
        _ outcome: RowMapping.Outcome
    ) throws(PostgresError) -> Clash? {
        let now = timeSource.now.monotonic
        return try state.withLock { (state) throws(PostgresError) in
            for (index, name) in names.enumerated() {
                guard let position = positions[name], metrics[position].accumulates else { continue }
                try checkRoom(outcome.additions[index], state.members[position], name)
            }
            var clash: Clash?
            for (index, name) in names.enumerated() {
                // lint: a reload may have removed the metric while its query ran
                guard let position = positions[name] else { continue }
                let metric = metrics[position]
                let expiry = metric.expiration.map { now + $0 }
                state.members[position].isStale = true
                if metric.accumulates {
                    add(outcome.additions[index], to: &state.members[position], position, now)
                } else {
                    let share = Share(series: outcome.series[index], rank: rank, expiry: expiry)
                    clash = clash ?? Self.clash(share, state.members[position].shares.filter { $0.key != task })
                    state.members[position].shares[task] = share
                }
            }
            return clash
        }
    }

    private func checkRoom(
        _ additions: [(labels: LabelSet, value: Double)],
        _ member: Member,
        _ name: String
    ) throws(PostgresError) {
        guard member.sums.count + additions.count > accumulatorLimit else { return }
        let new = Set(additions.lazy.map(\.labels).filter { member.sums[$0] == nil })
        guard member.sums.count + new.count > accumulatorLimit else { return }
        throw PostgresError(
            .limit,
            "\(name) would have more than the \(accumulatorLimit) label sets allowed for a metric that accumulates: use "
                + "labels with fewer values, or give it an expiration"
        )
    }

    private static func clash(_ share: Share, _ others: [Int: Share]) -> Clash? {
        guard !others.isEmpty else { return nil }
        var clash: Clash?
        let known = Set(others.values.lazy.flatMap(\.series).map(\.labels))
        for series in share.series where known.contains(series.labels) {
            clash = Clash(count: (clash?.count ?? 0) + 1, labels: clash?.labels ?? series.labels)
        }
        return clash
    }

    /// A task that continues across a reload.
    struct Adoption: Sendable {
        /// The task before and after the reload.
        let old: Int
        let new: Int
        /// The query's index in the new file.
        let rank: Int
    }

    /// Adopts the results of metrics that a reload did not change.
    /// - Parameters:
    ///   - isKnown: whether accumulated series with these labels are still needed.
    func adopt(_ earlier: QueryFamilies, _ adoptions: [Adoption], isKnown: (LabelSet) -> Bool) {
        let members = earlier.state.withLock(\.members)
        state.withLock { state in
            for (position, metric) in metrics.enumerated() {
                guard let other = earlier.positions[metric.name], earlier.metrics[other].hasShape(of: metric),
                    earlier.descriptors[other].labelNames == descriptors[position].labelNames
                else { continue }
                for adoption in adoptions {
                    guard var share = members[other].shares[adoption.old] else { continue }
                    share.rank = adoption.rank
                    state.members[position].shares[adoption.new] = share
                }
                state.members[position].sums = members[other].sums.filter { isKnown($0.key) }
                state.members[position].isStale = true
            }
        }
        let waiting = earlier.scrapes.withLock { $0 }
        scrapes.withLock { $0 += waiting }
    }

    /// Schedules the last result of a task to expire, because its query has failed.
    func fail(_ task: Int, _ names: [String], keep: Duration) {
        let end = timeSource.now.monotonic + keep
        state.withLock { state in
            for name in names {
                if let position = positions[name], state.members[position].shares[task]?.expiry == nil {
                    state.members[position].shares[task]?.expiry = end
                }
            }
        }
    }

    private func add(
        _ additions: [(labels: LabelSet, value: Double)],
        to member: inout Member,
        _ position: Int,
        _ now: Duration
    ) {
        let bounds = bounds[position]
        for (labels, value) in additions {
            var sum = member.sums[labels] ?? Accumulator(bounds: bounds.count, at: now)
            sum.add(value, bounds: bounds)
            sum.lastSeen = now
            member.sums[labels] = sum
        }
    }

    private func series(_ member: inout Member, _ position: Int) -> [Metric] {
        let metric = metrics[position]
        if metric.accumulates {
            return member.sums.compactMap { $1.metric($0, metric, bounds: bounds[position]) }
        }
        if member.shares.count == 1, let task = member.shares.keys.first {
            // In exposition order, so that no other copy of the series is needed.
            member.shares[task]?.series.sort { $0.labels < $1.labels }
            return member.shares[task]?.series ?? []
        }
        // If two queries return the same series, the one further down in the file always wins.
        var all: [Metric] = []
        var positions: [LabelSet: Int] = [:]
        for share in member.shares.values.sorted(by: { $0.rank < $1.rank }) {
            for series in share.series {
                if let position = positions[series.labels] {
                    all[position] = series
                } else {
                    positions[series.labels] = all.count
                    all.append(series)
                }
            }
        }
        return all
    }
}
