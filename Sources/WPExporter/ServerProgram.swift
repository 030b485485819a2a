// SPDX-License-Identifier: MIT

import WPCollector
package import WPCommandLine
package import WPConfig
import WPCore
import WPEnergy
import WPFleet
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
package import WPProgram
import WPScheduler
import WPServer
import WPService
package import WPSettings

/// `server`: collects readings, meters energy, keeps a history, and serves all of them.
package final class ServerProgram: ExporterProgram {
    package static let description = ProgramDescription(
        own: "server",
        title: "WinPower G2 exporter",
        logName: "Exporter",
        summary: "Reads the devices of a WinPower G2 server and serves them to Prometheus",
        discussion: [
            "Flags override environment variables, and these override the YAML file. "
                + "SIGTERM and SIGINT shut it down gracefully; a second signal ends it at once. SIGHUP reloads the "
                + "settings; SIGUSR1 reopens the log file."
        ],
        metrics: "exporter"
    )

    let collector: Collector
    let cycles: CycleHistory
    let nut: NUTService
    private let history: OpeningHistory?
    private let reporter: HubReporter
    /// Called after each cycle.
    let afterCycle = Latest<@Sendable (CollectionSnapshot) async -> Void>({ _ in })

    package static func load(
        _ options: ParsedOptions,
        environment: [String: String]
    ) throws -> LoadedSettings<ExporterSettings> {
        try SettingsLoader(ExporterSettings.table, environment: environment).load(
            configPath: options.value(of: ConfigOption.name),
            flags: options.settingFlags,
            examine: SettingsContents.problems
        )
    }

    package convenience init(_ context: ProgramContext<ExporterSettings>) async throws {
        try await self.init(context, Exporter.Parts(), keepsHistory: context.settings.history.enabled)
    }

    /// - Parameter keepsHistory: whether to keep a history.
    init(_ context: ProgramContext<ExporterSettings>, _ parts: Exporter.Parts, keepsHistory: Bool) async throws {
        let (settings, registry, logger) = (context.settings, context.registry, context.logger)
        let timeSource = context.timeSource
        let instruments = try CollectionInstruments(
            registry: registry,
            timeSource: timeSource,
            isTLSVerificationDisabled: settings.winpower.skipSSLVerify
        )
        let upstream = try await Upstream(context, replacement: parts.source, instruments: instruments)
        let store = try await Components.store(settings.storage, parts.store, logger: logger)
        context.atEnd(store.close)
        let meter = try await Components.meter(settings.energy, store.store, context.timeSource, logger)
        context.atEnd {
            do {
                try await meter.flush()
            } catch {
                logger.error("Energy totals could not be saved", ["error": .describing("\(error)")])
                throw error
            }
        }
        let collector = Collector(
            source: upstream.source,
            meter: meter,
            timeSource: timeSource,
            instruments: instruments,
            saved: try await store.store.load(),
            logger: logger.named("collector")
        )
        let devices = try DeviceMetrics(staleAfter: settings.metrics.staleAfter, timeSource: timeSource) {
            collector.snapshot
        }
        try registry.register(devices)
        try registry.register(SnapshotMetrics { collector.snapshot })
        let scheduler = Ticker(
            interval: settings.scheduler.collectionInterval,
            timeSource: timeSource,
            logger: logger.named("scheduler"),
            onSkip: instruments.cyclesSkipped
        )
        let history = keepsHistory ? Components.history(settings, parts, context) : nil
        let reporter = try await Blocking.run {
            try HubReporter(context)
        }
        let nut = try await Blocking.run {
            try NUTService(settings, timeSource: timeSource, registry: registry, logger: logger.named("server"))
        }
        nut.publish(collector.snapshot)
        let cycles = CycleHistory(timeSource: timeSource)
        (self.collector, self.cycles, self.nut) = (collector, cycles, nut)
        (self.history, self.reporter) = (history, reporter)

        let interval = Latest(settings.scheduler.collectionInterval)
        let started = timeSource.now
        context.component("collector") { [self] in await scheduler.run { await self.cycle() } }
        context.component("hub") { await reporter.run() }
        context.component("nut") { await nut.run() }
        context.health("collector") {
            collector.snapshot.health(at: timeSource.now, since: started, interval: interval.value)
        }
        context.health("history") { history?.health?.part }
        context.health("nut") { nut.health.map { .ok($0) } }
        context.debug("cycles") { cycles.table(collector.snapshot) }
        context.onReload(upstream.step)
        context.onReload { new in
            await meter.setLimits(maxGap: new.energy.maxGap, plausibilityMargin: new.energy.plausibilityMargin)
            devices.staleAfter = new.metrics.staleAfter
            interval.value = new.scheduler.collectionInterval
            scheduler.change(interval: new.scheduler.collectionInterval)
            history?.service?.fleet.apply(Fleet.Configuration(new))
        }
        context.onReload(reporter.step)
        context.onReload(nut.step)
        context.logFields([
            "upstream": .string(settings.winpower.baseURL?.description ?? ""),
            "data_dir": .string(settings.storage.dataDir),
        ])
        history?.declare(in: context) { nut.address(of: DeviceID($0)) }
    }

    /// Collects once and passes the result to the history, the hub and the NUT server. Calls must not overlap.
    func cycle() async {
        await cycles.record(collector.snapshot.generation + 1) { await collector.collect() }
        let snapshot = collector.snapshot
        if history != nil || reporter.isSending {
            let report = CycleReport(snapshot)
            history?.record(report)
            reporter.add(report)
        }
        nut.publish(snapshot)
        await afterCycle.value(snapshot)
    }
}
