// SPDX-License-Identifier: MIT

import WPCollector
import WPCore
import WPLogging
import WPMetrics
import WPModel
import WPTestKit

/// A collector with fake dependencies.
struct Bench {
    let clock = TestClock()
    let source = FakeDeviceSource()
    let meter = FakeEnergyMeter()
    let log = CapturingLogHandler()
    let registry = Registry()
    let instruments: CollectionInstruments
    let collector: Collector

    init(staleAfter: Duration = .seconds(15)) throws {
        instruments = try CollectionInstruments(registry: registry, timeSource: clock.timeSource)
        collector = Collector(
            source: source,
            meter: meter,
            timeSource: clock.timeSource,
            instruments: instruments,
            logger: log.logger
        )
        let collector = collector
        try registry.register(
            DeviceMetrics(staleAfter: staleAfter, timeSource: clock.timeSource) { collector.snapshot }
        )
        try registry.register(SnapshotMetrics { collector.snapshot })
    }

    func reading(_ id: String, alias: String = "UPS", watts: Double? = 195) -> DeviceReading {
        .sample(id: id, alias: alias, watts: watts, time: clock.timeSource.now)
    }

    static func failure(_ reason: FailureReason) -> DeviceSourceError {
        DeviceSourceError(
            reason: reason,
            endpoint: .devices,
            message: "failed: \(reason.rawValue)",
            reachedServer: false,
            wasAuthenticated: false
        )
    }

    /// The metrics of a family; empty if it is not exposed.
    func metrics(_ name: String) async -> [Metric] {
        await registry.gather().families.first { $0.name == name }?.metrics ?? []
    }

    /// The value of one series; nil if it is not exposed.
    func value(_ name: String, _ labels: KeyValuePairs<String, String> = [:]) async throws -> Double? {
        let metric = await metrics(name).first { metric in
            labels.allSatisfy { metric.labels[$0.key] == $0.value }
        }
        guard case .value(let value)? = metric?.value else { return nil }
        return value
    }
}
