// SPDX-License-Identifier: MIT

import WPClient
package import WPCollector
package import WPConfig
package import WPCore
import WPEnergy
import WPFleet
import WPHTTP
package import WPLogging
import WPMetrics
package import WPModel
import WPProgram
package import WPScheduler
package import WPSettings
import WPStorage

/// Creates components from settings. Only this type combines concrete types of several modules; it and the files in
/// `Settings` map the settings to each module's configuration.
package enum Components {
    /// Creates the device source, for a command that needs nothing else.
    /// - Parameter observer: is notified of exchanges and logins.
    package static func source(
        loaded: LoadedSettings<ExporterSettings>,
        timeSource: any TimeSource,
        observer: any DeviceSourceObserver,
        logger: Logger
    ) throws -> any DeviceSource {
        try client(
            loaded.settings.winpower,
            userAgent: Version.product,
            timeSource: timeSource,
            observer: observer,
            logger: logger
        )
    }

    /// Creates the components of a watch: a scheduler, and a collector that keeps its energy totals in memory, because
    /// a running exporter locks the data directory.
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
            source: try source(loaded: loaded, timeSource: timeSource, observer: instruments, logger: logger),
            meter: try await meter(settings.energy, MemoryEnergyStore(), timeSource, logger),
            timeSource: timeSource,
            instruments: instruments,
            logger: logger
        )
        let scheduler = Ticker(interval: settings.scheduler.collectionInterval, timeSource: timeSource, logger: logger)
        return (collector, scheduler)
    }

    static func store(
        _ settings: StorageSettings,
        _ given: (any EnergyStore)?,
        logger: Logger
    ) async throws -> (store: any EnergyStore, close: @Sendable () async -> Void) {
        if let given { return (given, {}) }
        let store = try await EnergyStoreError.advising {
            try await FileEnergyStore.open(
                FileEnergyStore.Configuration(
                    directory: settings.dataDir,
                    syncWrites: settings.syncWrite,
                    filePermissions: settings.filePermissions
                ),
                logger: logger.named("storage")
            )
        }
        return (AdvisedEnergyStore(store), { await store.close() })
    }

    static func meter(
        _ settings: EnergySettings,
        _ store: any EnergyStore,
        _ timeSource: any TimeSource,
        _ logger: Logger
    ) async throws -> TrapezoidEnergyMeter {
        try await EnergyStoreError.advising {
            try await TrapezoidEnergyMeter(
                configuration: TrapezoidEnergyMeter.Configuration(
                    maxGap: settings.maxGap,
                    plausibilityMargin: settings.plausibilityMargin
                ),
                store: store,
                timeSource: timeSource,
                logger: logger.named("energy")
            )
        }
    }

    /// The history of the exporter's UPSes, not yet open; nil with a custom store, because there may then be no data
    /// directory.
    static func history(
        _ settings: ExporterSettings,
        _ parts: Exporter.Parts,
        _ context: ProgramContext<ExporterSettings>
    ) -> OpeningHistory? {
        let (timeSource, logger) = (context.timeSource, context.logger.named("storage"))
        if let open = parts.openHistory {
            return OpeningHistory(timeSource: timeSource, logger: logger, open: open)
        }
        guard parts.store == nil else { return nil }
        return OpeningHistory(timeSource: timeSource, logger: logger) {
            try await HistoryService.open(
                settings,
                timeSource: timeSource,
                registry: context.registry,
                logger: logger
            )
        }
    }

    static func client(
        _ settings: WinPowerSettings,
        userAgent: String,
        timeSource: any TimeSource,
        observer: any DeviceSourceObserver,
        logger: Logger
    ) throws -> any DeviceSource {
        guard let target = settings.target else { throw MissingTarget() }
        let client = WinPowerClient(
            configuration: WinPowerClient.Configuration(settings),
            transport: try WinPowerConnections(
                HTTPClient.Configuration(settings, target, userAgent: userAgent, logger: logger),
                limit: settings.pageConcurrency
            ),
            credentials: {
                WinPowerCredentials(username: target.username, password: try target.password.secret())
            },
            timeSource: timeSource,
            observer: observer,
            logger: logger.named("client")
        )
        return AdvisedDeviceSource(client)
    }

    /// The settings were loaded without requiring a WinPower server.
    private struct MissingTarget: Error, CustomStringConvertible {
        let description = "no WinPower server is set: set winpower.base_url, winpower.username and winpower.password"
    }
}
