// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPHost
import WPLogging
import WPMetrics
import WPScheduler

/// A collector of the embedding program, sampled in the background like those of the host: a scrape shows its last
/// families and never waits for it.
final class OwnCollector: ImmediateCollector {
    let name: String
    private let collector: any MetricCollector
    private let timeSource: any TimeSource
    private let logger: Logger
    private let last = Mutex<(families: [MetricFamily], seconds: Double, failure: String?)?>(nil)

    init(_ name: String, _ collector: any MetricCollector, timeSource: any TimeSource, logger: Logger) {
        precondition(HostCollectorName(rawValue: name) == nil, "the agent has a built-in collector \(name)")
        (self.name, self.collector, self.timeSource, self.logger) = (name, collector, timeSource, logger)
    }

    var descriptors: [MetricDescriptor] { collector.descriptors }

    /// The last families; none before the first sample, and after a failure.
    func collectNow() -> [MetricFamily] { last.withLock { $0?.families ?? [] } }

    /// The result of the last sample; nil before the first.
    var report: NodeMetricsCollector.OtherReport? {
        last.withLock { last in last.map { .init(collector: name, seconds: $0.seconds, isSuccess: $0.failure == nil) } }
    }

    /// Samples at an interval until the task is cancelled.
    func run(every interval: Duration) async {
        await Ticker(interval: interval, timeSource: timeSource).run { await self.sample() }
    }

    private func sample() async {
        let start = timeSource.now
        let result: Result<[MetricFamily], any Error>
        do { result = .success(try await collector.collect()) } catch { result = .failure(error) }
        guard !Task.isCancelled else { return }
        let seconds = timeSource.now.since(start).inSeconds
        let before = last.withLock { $0?.failure }
        switch result {
        case .success(let families):
            last.withLock { $0 = (families, seconds, nil) }
            if before != nil { logger.info("Collector recovered", ["collector": .string(name)]) }
        case .failure(let error):
            let failure = "\(error)"
            last.withLock { $0 = ([], seconds, failure) }
            if before != failure {
                logger.warn("Collector failed", ["collector": .string(name), "error": .string(failure)])
            }
        }
    }
}
