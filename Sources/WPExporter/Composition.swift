// SPDX-License-Identifier: MIT

package import WPClient
package import WPCollector
package import WPConfig
package import WPEnergy
package import WPHTTP
package import WPLogging
package import WPMetrics
package import WPMetricsHTTP
package import WPModel
package import WPScheduler
package import WPServer
package import WPStorage

/// Puts the exporter together from its settings. The only place where concrete types of several modules meet: what each
/// of them is told is a small configuration of its own, mapped here from the setting tree.
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
        inherited: [Int32] = [],
        logger: Logger,
        reloading: Reloading? = nil
    ) async throws -> Exporter {
        let settings = loaded.settings
        let timeSource = SystemTimeSource()
        let registry = Registry()
        let instruments = try CollectionInstruments(
            registry: registry,
            timeSource: timeSource,
            isTLSVerificationDisabled: settings.winpower.skipSSLVerify
        )
        let requests = try RequestMetrics(
            registry: registry,
            prefix: "winpower_exporter",
            routes: ["metrics", "health"],
            errorRoutes: ["metrics"]
        )
        let makeSource: @Sendable (WinPowerSettings) throws -> any DeviceSource = { settings in
            try client(settings, timeSource, instruments, logger)
        }
        let source = DeviceSourceSwitch(try makeSource(settings.winpower))
        let store = try await FileEnergyStore.open(
            FileEnergyStore.Configuration(
                directory: settings.storage.dataDir,
                syncWrites: settings.storage.syncWrite,
                filePermissions: settings.storage.filePermissions
            ),
            logger: logger.named(.storage)
        )
        let meter = try await meter(settings.energy, store, logger: logger)
        let collector = Collector(
            source: source,
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
        let front = HandlerSwitch()
        let server = HTTPServer(
            HTTPServer.Configuration(settings, tls: try tlsContext(settings.server.tls, logger: logger)),
            handler: front,
            logger: logger.named(.server),
            problems: ErrorReply.renderer(timeSource),
            observer: requests.observe
        )
        let reloader = SettingsReloader(
            running: loaded,
            instruments: try ReloadInstruments(registry: registry, timeSource: timeSource),
            logger: logger.named(.settings),
            load: reloading?.load ?? { @Sendable in loaded }
        )
        let history = CycleHistory(timeSource: timeSource)
        let endpoints = Endpoints(
            registry: registry,
            collector: collector,
            history: history,
            reloader: reloader,
            server: server,
            timeSource: timeSource,
            started: timeSource.now,
            logger: logger.named(.http)
        )
        front.replace(with: try endpoints.handler(settings.server))
        await reloader.use(
            [
                ReloadStep { new, running in
                    // What the files of the password and of the authorities hold may have changed.
                    let namesFiles = new.winpower.passwordFile != nil || new.winpower.caFile != nil
                    guard namesFiles || new.winpower != running.winpower else { return {} }
                    let made = try makeSource(new.winpower)
                    return {
                        source.replace(with: made)
                        instruments.sourceReplaced(isTLSVerificationDisabled: new.winpower.skipSSLVerify)
                    }
                },
                ReloadStep { new, _ in
                    let handler = try endpoints.handler(new.server)
                    return { front.replace(with: handler) }
                },
                ReloadStep { new, running in
                    let isSame = new.server.tls == running.server.tls
                    let tls = isSame ? server.configuration.tls : try tlsContext(new.server.tls, logger: logger)
                    let configuration = HTTPServer.Configuration(new, tls: tls)
                    try configuration.validate()
                    return { try? server.update(configuration) }
                },
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
                    return { scheduler.change(interval: interval) }
                },
            ] + (reloading?.steps ?? [])
        )
        try server.bind(to: inherited)
        return Exporter(
            collector: collector,
            meter: meter,
            store: store,
            scheduler: scheduler,
            server: server,
            history: history,
            reloader: reloader,
            logger: logger
        )
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
        try await TrapezoidEnergyMeter(
            configuration: TrapezoidEnergyMeter.Configuration(
                maxGap: settings.maxGap,
                plausibilityMargin: settings.plausibilityMargin
            ),
            store: store,
            logger: logger.named(.energy)
        )
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

    private static func client(
        _ settings: WinPowerSettings,
        _ timeSource: any TimeSource,
        _ observer: any DeviceSourceObserver,
        _ logger: Logger
    ) throws -> any DeviceSource {
        guard let target = settings.target else { throw MissingTarget() }
        let client = WinPowerClient(
            configuration: WinPowerClient.Configuration(settings),
            transport: try WinPowerConnections(HTTPClient.Configuration(settings, target, logger: logger)),
            credentials: {
                WinPowerCredentials(username: target.username, password: try target.password.secret())
            },
            timeSource: timeSource,
            observer: observer,
            logger: logger.named(.client)
        )
        return AdvisedDeviceSource(client)
    }

    private static func tlsContext(_ settings: ServerTLSSettings, logger: Logger) throws -> (any TLSContextSource)? {
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
