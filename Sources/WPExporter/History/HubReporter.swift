// SPDX-License-Identifier: MIT

import Synchronization
import WPConfig
import WPCore
import WPFleet
import WPHTTP
import WPHubClient
import WPLogging
import WPMetrics
import WPModel
import WPProgram

/// Sends the exporter's readings to a hub.
final class HubReporter: Sendable {
    private static let configuration = {
        var configuration = HubSender.Configuration(path: "/metrics/ups", noun: "reports")
        // One hour at a five-second interval, before thinning.
        configuration.bufferCount = 720
        configuration.bufferBytes = 16 << 20
        return configuration
    }()

    private let sender: HubSender
    /// The current settings.
    private let settings: Mutex<SenderSettings>
    private let registry: Registry
    private let userAgent: String
    private let logger: Logger

    /// - Throws: if the certificate authorities or the proxy cannot be used, or a metric name is taken.
    init(_ context: ProgramContext<ExporterSettings>) throws {
        settings = Mutex(context.settings.hub)
        registry = context.registry
        userAgent = context.userAgent(Version.program)
        logger = context.logger.named("client")
        let target = try HubTarget(context.settings.hub, userAgent: userAgent)
        sender = HubSender(
            target,
            configuration: Self.configuration,
            timeSource: context.timeSource,
            logger: logger
        )
        if target != nil { try sender.register(in: registry, as: .reports) }
    }

    /// Applies new settings. Queued reports are sent to the new hub.
    var step: ReloadStep {
        ReloadStep(reading: { [self] new, running in
            guard new.hub != running.hub else { return {} }
            let target = try HubTarget(new.hub, userAgent: userAgent)
            return { [self] in
                // Not earlier, because another component may still reject the settings.
                if target != nil { registerMetrics() }
                settings.withLock { $0 = new.hub }
                sender.replace(with: target)
            }
        })
    }

    private func registerMetrics() {
        do throws(MetricError) {
            try sender.register(in: registry, as: .reports)
        } catch {
            logger.error("The metrics of reports to the hub are unavailable", ["error": .describing(error)])
        }
    }

    /// Whether a hub is configured.
    var isSending: Bool { settings.withLock { $0.url != nil } }

    /// Queues the readings of a successful collection. Never waits.
    func add(_ report: CycleReport) {
        let settings = settings.withLock { $0 }
        guard settings.url != nil, let time = report.success else { return }
        let body = UPSReport(
            site: settings.site,
            timestamp: RFC3339.string(time.wall),
            devices: report.devices.map(\.snapshot)
        )
        // lint: a report with a non-finite number from WinPower is dropped
        if let bytes = try? JSONDocument.bytes(body) { sender.add(bytes) }
    }

    /// Sends until the task is cancelled.
    func run() async { await sender.run() }
}

extension HubTarget {
    /// The hub target of `hub.*`; nil without an address.
    fileprivate init?(_ settings: SenderSettings, userAgent: String) throws {
        guard let url = settings.url else { return nil }
        self.init(
            address: "\(url)",
            transport: try HTTPClient(.init(settings, url, userAgent: userAgent)),
            token: settings.tokenSource?.reader
        )
    }
}

extension SenderMetricNames {
    /// The metric names of a server's reports.
    fileprivate static let reports = SenderMetricNames(
        sent: "winpower_exporter_hub_reports_sent_total",
        failures: "winpower_exporter_hub_report_failures_total",
        dropped: "winpower_exporter_hub_reports_dropped_total",
        waiting: "winpower_exporter_hub_reports_waiting",
        lastSuccess: "winpower_exporter_hub_last_success_timestamp_seconds"
    )
}
