// SPDX-License-Identifier: MIT

import WPClient
package import WPCollector
package import WPConfig
import WPEnergy
import WPFleet
import WPHTTP
package import WPLogging
import WPMetrics
import WPMetricsHTTP
package import WPModel
package import WPScheduler
package import WPServer
import WPService
import WPStorage

/// Puts the exporter together from its settings. The only place where concrete types of several modules meet: each of
/// them has a small configuration of its own, to which the settings are mapped here and in `Settings`.
package enum Composition {
    /// How the running exporter gets other settings.
    package struct Reloading: Sendable {
        /// Loads them from all layers; it may block.
        package var load: @Sendable () throws -> LoadedSettings<ExporterSettings>
        /// How parts outside of the exporter take them, such as the log.
        package var steps: [ReloadStep]

        package init(load: @escaping @Sendable () throws -> LoadedSettings<ExporterSettings>, steps: [ReloadStep] = [])
        {
            self.load = load
            self.steps = steps
        }
    }

    /// Makes an exporter that holds its data directory and listens, and has not collected yet.
    /// - Parameters:
    ///   - loaded: the settings, and where they came from for the debug page.
    ///   - inherited: listening sockets that the process was started with; they win over host and port.
    ///   - logger: where everything logs.
    ///   - reloading: where other settings come from later; nil for those that stay.
    /// - Throws: what the first part that fails says of itself, in a sentence for an operator.
    package static func exporter(
        loaded: LoadedSettings<ExporterSettings>,
        parts: Exporter.Parts = Exporter.Parts(),
        inherited: [Int32] = [],
        logger: Logger,
        reloading: Reloading? = nil
    ) async throws -> Exporter {
        Exporter(
            try await assembly(
                loaded: loaded,
                parts: parts,
                listening: inherited,
                keepsHistory: loaded.settings.history.enabled,
                logger: logger,
                reloading: reloading
            )
        )
    }

    /// - Parameters:
    ///   - listening: the sockets to serve, none for those of the settings; nil for no server.
    ///   - keepsHistory: whether there is a history in the data directory.
    static func assembly(
        loaded: LoadedSettings<ExporterSettings>,
        parts: Exporter.Parts,
        listening: [Int32]?,
        keepsHistory: Bool = false,
        logger: Logger,
        reloading: Reloading?
    ) async throws -> Exporter.Assembly {
        let settings = loaded.settings
        let (timeSource, registry) = (parts.timeSource, parts.registry)
        let instruments = try CollectionInstruments(
            registry: registry,
            timeSource: timeSource,
            isTLSVerificationDisabled: settings.winpower.skipSSLVerify
        )
        let upstream = try await Upstream(settings.winpower, parts.source, timeSource, instruments, logger)
        let (store, closeStore) = try await store(settings.storage, parts.store, logger: logger)
        let past = keepsHistory ? history(settings, parts, logger: logger) : nil
        do {
            let meter = try await meter(settings.energy, store, logger: logger)
            let collector = Collector(
                source: upstream.source,
                meter: meter,
                timeSource: timeSource,
                instruments: instruments,
                saved: try await store.load(),
                logger: logger.named(.collector)
            )
            let devices = try DeviceMetrics(staleAfter: settings.metrics.staleAfter, timeSource: timeSource) {
                collector.snapshot
            }
            try register(registry, devices, collector)
            let scheduler = Scheduler(
                interval: settings.scheduler.collectionInterval,
                logger: logger.named(.scheduler),
                onSkip: instruments.cyclesSkipped
            )
            let pace = Pace(settings.scheduler.collectionInterval)
            let front = HandlerSwitch()
            let server =
                listening == nil
                ? nil : try await server(settings, front, registry, timeSource: timeSource, logger: logger)
            if let lost = parts.lostLogRecords { try registry.register(ServingMetrics.lostLogRecords(lost)) }
            let reloader = SettingsReloader(
                running: loaded,
                instruments: try ReloadInstruments(registry: registry, timeSource: timeSource),
                timeSource: timeSource,
                logger: logger.named(.settings),
                load: reloading?.load
            )
            let history = CycleHistory(timeSource: timeSource)
            let nut = try await Blocking.run {
                try NUTService(
                    settings,
                    timeSource: timeSource,
                    registry: registry,
                    logger: logger.named(.server)
                )
            }
            nut.publish(collector.snapshot)
            let endpoints = Endpoints(
                registry: registry,
                collector: collector,
                history: history,
                reloader: reloader,
                server: server,
                timeSource: timeSource,
                started: timeSource.now,
                pace: pace,
                passwords: parts.passwords,
                past: past,
                nut: nut,
                logger: logger.named(.http)
            )
            front.replace(with: try await Blocking.run { try endpoints.handler(settings.server) })
            var steps = [
                upstream.step,
                ReloadStep(reading: { new, _ in
                    let handler = try endpoints.handler(new.server)
                    return { front.replace(with: handler) }
                }),
                ReloadStep { new in
                    await meter.setLimits(
                        maxGap: new.energy.maxGap,
                        plausibilityMargin: new.energy.plausibilityMargin
                    )
                },
                ReloadStep { new in devices.staleAfter = new.metrics.staleAfter },
                ReloadStep { new, running in
                    let interval = new.scheduler.collectionInterval
                    guard interval != running.scheduler.collectionInterval else { return {} }
                    return {
                        scheduler.change(interval: interval)
                        pace.set(interval)
                    }
                },
            ]
            if let server { steps.append(Self.step(server, logger: logger)) }
            let reporter = try await Blocking.run {
                try HubReporter(
                    settings.hub,
                    timeSource: timeSource,
                    registry: registry,
                    logger: logger.named(.client)
                )
            }
            steps.append(reporter.step)
            steps.append(nut.step)
            if let past {
                steps.append(
                    ReloadStep { new in
                        past.service?.fleet.tariff = Tariff(price: new.energy.tariff, currency: new.energy.currency)
                    }
                )
            }
            await reloader.use(steps + (reloading?.steps ?? []))
            if let server, let listening {
                try await Blocking.run {
                    InheritedSockets.check(listening, settings.server, logger: logger.named(.server))
                    try server.bind(to: listening)
                }
            }
            return Exporter.Assembly(
                collector: collector,
                meter: meter,
                scheduler: scheduler,
                history: history,
                reloader: reloader,
                front: front,
                routes: Endpoints.routes(settings.server).filter { $0.path != "/" },
                server: server,
                registry: registry,
                logger: logger,
                past: past,
                reporter: reporter,
                nut: nut,
                closeStore: closeStore
            )
        } catch {
            await closeStore()
            throw error
        }
    }

    /// The history of the exporter's UPSes, not open yet; nil where there may be no data directory, as with a store that
    /// was given.
    private static func history(
        _ settings: ExporterSettings,
        _ parts: Exporter.Parts,
        logger: Logger
    ) -> OpeningHistory? {
        let logger = logger.named(.storage)
        if let open = parts.openHistory {
            return OpeningHistory(clock: parts.clock, timeSource: parts.timeSource, logger: logger, open: open)
        }
        guard parts.store == nil else { return nil }
        return OpeningHistory(clock: parts.clock, timeSource: parts.timeSource, logger: logger) {
            try await HistoryService.open(
                settings,
                timeSource: parts.timeSource,
                registry: parts.registry,
                logger: logger
            )
        }
    }

    private static func store(
        _ settings: StorageSettings,
        _ given: (any EnergyStore)?,
        logger: Logger
    ) async throws -> (any EnergyStore, close: @Sendable () async -> Void) {
        if let given { return (given, {}) }
        let store = try await EnergyStoreError.advising {
            try await FileEnergyStore.open(
                FileEnergyStore.Configuration(
                    directory: settings.dataDir,
                    syncWrites: settings.syncWrite,
                    filePermissions: settings.filePermissions
                ),
                logger: logger.named(.storage)
            )
        }
        return (AdvisedEnergyStore(store), { await store.close() })
    }

    private static func server(
        _ settings: ExporterSettings,
        _ front: HandlerSwitch,
        _ registry: Registry,
        timeSource: any TimeSource,
        logger: Logger
    ) async throws -> HTTPServer {
        let requests = try RequestMetrics(
            registry: registry,
            prefix: "winpower_exporter",
            routes: ["metrics", "health"],
            errorRoutes: ["metrics"]
        )
        let tls = try await Blocking.run { try tlsContext(settings.server.tls, logger: logger) }
        let server = HTTPServer(
            HTTPServer.Configuration(settings, tls: tls),
            handler: front,
            logger: logger.named(.server),
            observer: requests.observe,
            problems: ErrorReply.renderer(timeSource)
        )
        try registry.register(ServingMetrics { server.statistics })
        return server
    }

    /// Has a server take the settings of `server.*`, its certificate among them.
    package static func step(_ server: HTTPServer, logger: Logger) -> ReloadStep {
        ReloadStep(reading: { new, running in
            let isSame = new.server.tls == running.server.tls
            let tls = isSame ? server.configuration.tls : try tlsContext(new.server.tls, logger: logger)
            let configuration = HTTPServer.Configuration(new, tls: tls)
            try configuration.validate()
            return { try? server.update(configuration) }
        })
    }

    /// Makes what reads the devices, for a command that does no more than that.
    /// - Parameter observer: hears of exchanges and log-ins.
    package static func source(
        loaded: LoadedSettings<ExporterSettings>,
        observer: any DeviceSourceObserver,
        logger: Logger
    ) throws -> any DeviceSource {
        try client(loaded.settings.winpower, SystemTimeSource(), observer, logger)
    }

    /// Makes what a watch runs: a collector that keeps its energy totals in memory, and its scheduler. What is to be
    /// read and shown of an exporter's totals is a matter of its own; a running exporter holds the data directory.
    package static func watch(
        loaded: LoadedSettings<ExporterSettings>,
        timeSource: any TimeSource,
        logger: Logger
    ) async throws -> (collector: Collector, scheduler: any Scheduling) {
        let settings = loaded.settings
        let instruments = try CollectionInstruments(
            registry: Registry(),
            timeSource: timeSource,
            isTLSVerificationDisabled: settings.winpower.skipSSLVerify
        )
        let collector = Collector(
            source: try client(settings.winpower, timeSource, instruments, logger),
            meter: try await meter(settings.energy, MemoryEnergyStore(), logger: logger),
            timeSource: timeSource,
            instruments: instruments,
            logger: logger
        )
        let scheduler = Scheduler(interval: settings.scheduler.collectionInterval, logger: logger, onSkip: { _ in })
        return (collector, scheduler)
    }

    private static func meter(
        _ settings: EnergySettings,
        _ store: any EnergyStore,
        logger: Logger
    ) async throws -> TrapezoidEnergyMeter {
        try await EnergyStoreError.advising {
            try await TrapezoidEnergyMeter(
                configuration: TrapezoidEnergyMeter.Configuration(
                    maxGap: settings.maxGap,
                    plausibilityMargin: settings.plausibilityMargin
                ),
                store: store,
                logger: logger.named(.energy)
            )
        }
    }

    private static func register(_ registry: Registry, _ devices: DeviceMetrics, _ collector: Collector) throws {
        try registry.register(devices)
        try registry.register(SnapshotMetrics { collector.snapshot })
        try registry.register(ProcessCollector())
        try registry.register(
            BuildInfoCollector(
                program: "winpower_exporter",
                version: Version.number,
                revision: Version.revision,
                swiftVersion: Version.swift
            )
        )
    }

    static func client(
        _ settings: WinPowerSettings,
        _ timeSource: any TimeSource,
        _ observer: any DeviceSourceObserver,
        _ logger: Logger
    ) throws -> any DeviceSource {
        guard let target = settings.target else { throw MissingTarget() }
        let client = WinPowerClient(
            configuration: WinPowerClient.Configuration(settings),
            transport: try WinPowerConnections(
                HTTPClient.Configuration(settings, target, logger: logger),
                limit: settings.pageConcurrency
            ),
            credentials: {
                WinPowerCredentials(username: target.username, password: try target.password.secret())
            },
            timeSource: timeSource,
            observer: observer,
            logger: logger.named(.client)
        )
        return AdvisedDeviceSource(client)
    }

    package static func tlsContext(_ settings: ServerTLSSettings, logger: Logger) throws -> (any TLSContextSource)? {
        try TLSServerConfiguration(settings).map { try RotatingTLSContext($0, logger: logger.named(.server)) }
    }

    /// The settings were loaded without requiring a WinPower server.
    private struct MissingTarget: Error, CustomStringConvertible {
        let description = "no WinPower server is set: set winpower.base_url, winpower.username and winpower.password"
    }
}

extension Logger {
    /// This logger with the name of a module, whose level can be set.
    package func named(_ module: LoggingSettings.Module) -> Logger {
        named(module.rawValue)
    }
}
