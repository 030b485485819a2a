// SPDX-License-Identifier: MIT

import Synchronization
package import WPMetrics

/// The families of a file's metrics: what each query gave last, replaced as a whole.
package final class QueryFamilies: ImmediateCollector {
    /// The most series that one metric adds up.
    static let accumulatorLimit = 100_000

    /// What one query gave for one metric.
    private struct Share {
        var series: [Metric]
        var stored: Duration
        /// When it leaves; nil while the query succeeds.
        var ends: Duration?
    }

    private struct Member {
        var shares: [Int: Share] = [:]
        var sums: [LabelSet: Accumulator] = [:]
        var isStale = false
    }

    private struct State {
        var members: [Member]
        var families: [MetricFamily] = []
        var nextEnd: Duration?
        var isStale = true
    }

    package let descriptors: [MetricDescriptor]
    private let metrics: [QueryFile.Metric]
    private let places: [String: Int]
    private let bounds: [[Double]]
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>
    private let scrapes = Mutex<[AsyncStream<Void>.Continuation]>([])

    /// - Parameter now: the time by a monotonic clock since an origin that stays the same.
    /// - Throws: `MetricError` for a file that was not checked.
    package init(_ file: QueryFile, now: @escaping @Sendable () -> Duration) throws(MetricError) {
        metrics = file.metrics
        var descriptors: [MetricDescriptor] = []
        for metric in file.metrics {
            descriptors.append(try FamilyShape.descriptor(metric, databaseLabels: file.databaseLabelNames))
        }
        self.descriptors = descriptors
        places = Dictionary(file.metrics.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        bounds = file.metrics.map { metric in
            metric.kind == .histogram ? metric.buckets ?? FamilyShape.standardBuckets : []
        }
        self.now = now
        state = Mutex(State(members: Array(repeating: Member(), count: file.metrics.count)))
    }

    /// What is shown now. It also starts the queries that run when somebody scrapes; this scrape does not wait for them.
    package func collectNow() -> [MetricFamily] {
        for scrape in scrapes.withLock({ $0 }) { scrape.yield() }
        return state.withLock { state in
            dropEnded(&state)
            if state.isStale { rebuild(&state) }
            return state.families
        }
    }

    /// Says when somebody scrapes.
    func scrapeSignals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        scrapes.withLock { $0.append(continuation) }
        return stream
    }

    /// Takes what a task's query gave for its metrics, and drops what it gave before.
    func store(_ task: Int, _ names: [String], _ outcome: RowMapping.Outcome) {
        let now = now()
        state.withLock { state in
            for (index, name) in names.enumerated() {
                guard let place = places[name] else { continue }
                let metric = metrics[place]
                let ends = metric.expiration.map { now + $0 }
                state.members[place].isStale = true
                if metric.accumulates {
                    add(outcome.additions[index], to: &state.members[place], place, now)
                } else {
                    let share = Share(series: outcome.series[index], stored: now, ends: ends)
                    state.members[place].shares[task] = share
                }
                if let ends { state.nextEnd = min(state.nextEnd ?? ends, ends) }
            }
            state.isStale = true
        }
    }

    /// Lets what a task's query gave last leave after a while, because the query has failed.
    func fail(_ task: Int, _ names: [String], keep: Duration) {
        let end = now() + keep
        state.withLock { state in
            for name in names {
                guard let place = places[name], let share = state.members[place].shares[task], share.ends == nil else {
                    continue
                }
                state.members[place].shares[task]?.ends = end
                state.nextEnd = min(state.nextEnd ?? end, end)
            }
        }
    }

    private func add(
        _ additions: [(labels: LabelSet, value: Double)],
        to member: inout Member,
        _ place: Int,
        _ now: Duration
    ) {
        let bounds = bounds[place]
        for (labels, value) in additions {
            if member.sums[labels] == nil, member.sums.count >= Self.accumulatorLimit { continue }
            var sum = member.sums[labels] ?? Accumulator(bounds: bounds.count, at: now)
            sum.add(value, bounds: bounds)
            sum.lastSeen = now
            member.sums[labels] = sum
        }
    }

    private func dropEnded(_ state: inout State) {
        let now = now()
        guard let nextEnd = state.nextEnd, nextEnd <= now else { return }
        var next: Duration?
        for place in state.members.indices {
            let before = state.members[place].shares.count + state.members[place].sums.count
            state.members[place].shares = state.members[place].shares.filter { $1.ends.map { $0 > now } ?? true }
            if let expiration = metrics[place].expiration {
                state.members[place].sums = state.members[place].sums.filter { $1.lastSeen + expiration > now }
                for sum in state.members[place].sums.values {
                    next = min(next ?? sum.lastSeen + expiration, sum.lastSeen + expiration)
                }
            }
            for end in state.members[place].shares.values.compactMap(\.ends) { next = min(next ?? end, end) }
            guard state.members[place].shares.count + state.members[place].sums.count != before else { continue }
            state.members[place].isStale = true
            state.isStale = true
        }
        state.nextEnd = next
    }

    /// Makes the families that have changed; the others stay the same arrays, which a scrape does not encode again.
    private func rebuild(_ state: inout State) {
        let isFirst = state.families.isEmpty
        for place in state.members.indices {
            guard isFirst || state.members[place].isStale else { continue }
            state.members[place].isStale = false
            let family = MetricFamily(descriptors[place], series(&state.members[place], place))
            if isFirst { state.families.append(family) } else { state.families[place] = family }
        }
        state.isStale = false
    }

    private func series(_ member: inout Member, _ place: Int) -> [Metric] {
        let metric = metrics[place]
        if metric.accumulates {
            return member.sums.compactMap { $1.metric($0, metric, bounds: bounds[place]) }
        }
        if member.shares.count == 1, let task = member.shares.keys.first {
            // In the order of an exposition, so that this one array is all that there is of the series.
            member.shares[task]?.series.sort { $0.labels < $1.labels }
            return member.shares[task]?.series ?? []
        }
        // Of two queries that give the same series, the later one wins.
        var all: [Metric] = []
        var places: [LabelSet: Int] = [:]
        for share in member.shares.values.sorted(by: { $0.stored < $1.stored }) {
            for series in share.series {
                if let place = places[series.labels] {
                    all[place] = series
                } else {
                    places[series.labels] = all.count
                    all.append(series)
                }
            }
        }
        return all
    }
}
