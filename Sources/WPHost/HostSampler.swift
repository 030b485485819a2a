// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
import WPScheduler

/// Samples this machine: one ``HostSample`` from procfs, sysfs and a few system calls.
///
/// Groups of collectors run on separate queues, so that slow hardware does not delay processor and process values.
/// Rates are differences over elapsed monotonic time, so they need two samples.
public final class HostSampler: Sendable {
    private let groups: [HostSampleGroup: GroupSampler]
    private let latest = Mutex(HostSample())
    /// The running refresh of each group.
    private let refreshes = Mutex<[HostSampleGroup: Task<Void, Never>]>([:])
    package let timeSource: any TimeSource

    /// Creates a sampler. Reads nothing before the first sample.
    /// - Parameters:
    ///   - configuration: the inputs.
    ///   - timeSource: the clock of samples and rates.
    public init(_ configuration: HostConfiguration = HostConfiguration(), timeSource: any TimeSource = .system) {
        self.timeSource = timeSource
        groups = Dictionary(
            uniqueKeysWithValues: HostSampleGroup.allCases.map { ($0, GroupSampler($0, configuration)) }
        )
    }

    /// The newest values of all groups.
    public var current: HostSample { latest.withLock { $0 } }

    /// Reads groups concurrently and returns the newest values of all. Does not block the calling thread.
    @discardableResult
    public func sample(_ wanted: Set<HostSampleGroup> = Set(HostSampleGroup.allCases)) async -> HostSample {
        await withTaskGroup(of: Void.self) { tasks in
            for (group, sampler) in groups where wanted.contains(group) {
                tasks.addTask {
                    let part = await sampler.sample(self.timeSource)
                    self.latest.withLock { $0.replace(group, from: part) }
                }
            }
        }
        return current
    }

    /// Reads those groups whose newest values are older than a limit. Concurrent calls share a sample.
    /// - Parameters:
    ///   - age: the maximum age of values.
    ///   - limit: the maximum wait; a longer sample completes in the background.
    package func refresh(
        _ wanted: Set<HostSampleGroup>,
        olderThan age: Duration,
        waitingAtMost limit: Duration
    ) async {
        let (now, times) = (timeSource.now.monotonic, current.times)
        let due = wanted.filter { group in times[group].map { now - $0.monotonic > age } ?? true }
        let samples = refreshes.withLock { refreshes in
            due.map { group in
                if let known = refreshes[group] { return known }
                let task = Task { [self] in
                    await sample([group])
                    self.refreshes.withLock { $0[group] = nil }
                }
                refreshes[group] = task
                return task
            }
        }
        guard !samples.isEmpty else { return }
        let (done, signal) = AsyncStream<Void>.makeStream()
        let waiting = Task {
            for sample in samples { await sample.value }
            signal.finish()
        }
        let timer = Task { [timeSource] in
            if await timeSource.hasSlept(for: limit) { signal.finish() }
        }
        for await _ in done {}
        timer.cancel()
        waiting.cancel()
    }

    /// Samples each group at its own interval until the task is cancelled. If a sample takes longer than its interval,
    /// the missed intervals are skipped.
    /// - Parameters:
    ///   - cpu: the interval of processor values.
    ///   - processes: the interval of process values.
    ///   - system: the interval of all other values.
    ///   - onSample: called after each group's sample with the newest values of all; calls of two groups may overlap.
    public func run(
        cpu: Duration = .seconds(1),
        processes: Duration = .seconds(3),
        system: Duration = .seconds(5),
        onSample: @escaping @Sendable (HostSampleGroup, HostSample) -> Void = { _, _ in }
    ) async {
        let intervals: [HostSampleGroup: Duration] = [.cpu: cpu, .processes: processes, .system: system]
        await withTaskGroup(of: Void.self) { tasks in
            for (group, interval) in intervals {
                tasks.addTask {
                    await Ticker(interval: max(interval, .milliseconds(10)), timeSource: self.timeSource).run {
                        onSample(group, await self.sample([group]))
                    }
                }
            }
        }
    }
}

/// The collectors of one group, on a queue of their own because they block.
private actor GroupSampler {
    private let group: HostSampleGroup
    private let executor: QueueExecutor
    private var collectors: [any HostCollector]
    private var context: CollectionContext

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ group: HostSampleGroup, _ configuration: HostConfiguration) {
        self.group = group
        executor = QueueExecutor("host-\(group.rawValue)")
        collectors = HostCollectors.all
            .filter { $0.group == group && configuration.collectors.contains(HostCollectorName(of: $0)) }
            .map { $0.init(configuration) }
        context = CollectionContext(configuration, now: TimePoint(secondsSince1970: 0, monotonic: .zero))
    }

    func sample(_ timeSource: any TimeSource) -> HostSample {
        context.now = timeSource.now
        var sample = HostSample()
        sample.time = context.now.secondsSince1970
        sample.times[group] = context.now
        for index in collectors.indices {
            collectors[index].collect(into: &sample, &context, timeSource: timeSource)
        }
        return sample
    }
}
