// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPFleet
import WPHTTP
import WPHubClient
import WPLogging
import WPMetrics
import WPModel
import WPText

/// Sends the readings of a server to a hub.
final class HubReporter: Sendable {
    private static let configuration = {
        var configuration = HubSender.Configuration(path: "/metrics/ups", noun: "reports")
        // An hour at one every five seconds, before they are thinned.
        configuration.bufferCount = 720
        configuration.bufferBytes = 16 << 20
        return configuration
    }()

    private let sender: HubSender
    /// The settings in use.
    private let settings: Mutex<HubSettings>
    private let registry: Registry

    /// - Throws: when the authorities or the proxy can't be used, or a metric's name is taken.
    init(_ settings: HubSettings, timeSource: any TimeSource, registry: Registry, logger: Logger) throws {
        self.settings = Mutex(settings)
        self.registry = registry
        let target = try HubTarget(settings)
        sender = HubSender(target, configuration: Self.configuration, timeSource: timeSource, logger: logger)
        if target != nil { try sender.register(in: registry, as: .reports) }
    }

    /// Takes other settings. What waits goes to the new hub.
    var step: ReloadStep {
        ReloadStep(reading: { [self] new, running in
            guard new.hub != running.hub else { return {} }
            let target = try HubTarget(new.hub)
            if target != nil { try sender.register(in: registry, as: .reports) }
            return { [self] in
                settings.withLock { $0 = new.hub }
                sender.replace(with: target)
            }
        })
    }

    /// Adds what a collection read, unless it failed. It never waits.
    func add(_ snapshot: CollectionSnapshot) {
        let settings = settings.withLock { $0 }
        guard settings.url != nil, let time = snapshot.lastSuccess,
            snapshot.failure == nil || snapshot.failure?.reason == .storage
        else { return }
        let report = UPSReport(
            site: settings.site,
            timestamp: RFC3339.string(time.wall),
            devices: snapshot.readings.map { UPSSnapshot($0, total: snapshot.totals[$0.device.id]) }
        )
        if let body = try? JSONDocument.bytes(report) { sender.add(body) }
    }

    /// Sends until the task is cancelled.
    func run() async { await sender.run() }
}

extension HubTarget {
    /// The hub of `hub.*`; nil without an address.
    fileprivate init?(_ settings: HubSettings) throws {
        guard let url = settings.url else { return nil }
        self.init(
            address: "\(url)",
            transport: try HTTPClient(.init(settings, url)),
            source: settings.tokenSource
        )
    }
}

extension SenderMetricNames {
    /// Those of a server's reports.
    fileprivate static let reports = SenderMetricNames(
        sent: "winpower_exporter_hub_reports_sent_total",
        failures: "winpower_exporter_hub_report_failures_total",
        dropped: "winpower_exporter_hub_reports_dropped_total",
        waiting: "winpower_exporter_hub_reports_waiting",
        lastSuccess: "winpower_exporter_hub_last_success_timestamp_seconds"
    )
}
