// SPDX-License-Identifier: MIT

import WPClient
import WPCollector
import WPConfig
import WPEnergy
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
import WPScheduler
import WPServer
import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Puts the exporter together from its settings. The only place where concrete types of several modules meet: what each
/// of them is told is a small configuration of its own, mapped here from the setting tree.
enum Composition {
    /// Makes an exporter that holds its data directory and listens, and has not collected yet.
    /// - Parameters:
    ///   - loaded: the settings, and where they came from for the debug page.
    ///   - logger: where everything logs.
    /// - Throws: what the first part that fails says of itself, in a sentence for an operator.
    static func exporter(loaded: LoadedSettings, logger: Logger) async throws -> Exporter {
        let settings = loaded.settings
        guard let target = settings.winpower.target else { throw MissingTarget() }
        let timeSource = SystemTimeSource()
        let registry = Registry()
        let instruments = try CollectionInstruments(
            registry: registry,
            timeSource: timeSource,
            isTLSVerificationDisabled: settings.winpower.skipSSLVerify
        )
        let requests = try RequestInstruments(registry: registry)

        let source = WinPowerClient(
            configuration: clientConfiguration(settings.winpower),
            transport: try HTTPClient(transportConfiguration(settings.winpower, target, logger: logger)),
            credentials: {
                WinPowerCredentials(username: target.username, password: try target.password.secret())
            },
            timeSource: timeSource,
            observer: instruments,
            logger: logger.named("client")
        )
        let store = try await FileEnergyStore.open(
            FileEnergyStore.Configuration(
                directory: settings.storage.dataDir,
                syncWrites: settings.storage.syncWrite,
                filePermissions: settings.storage.filePermissions
            ),
            logger: logger.named("storage")
        )
        let meter = try await TrapezoidEnergyMeter(
            configuration: TrapezoidEnergyMeter.Configuration(
                maxGap: settings.energy.maxGap,
                plausibilityMargin: settings.energy.plausibilityMargin
            ),
            store: store,
            logger: logger.named("energy")
        )
        let collector = Collector(
            source: source,
            meter: meter,
            timeSource: timeSource,
            instruments: instruments,
            logger: logger.named("collector")
        )
        try register(registry, collector, timeSource, settings)

        let history = CycleHistory(timeSource: timeSource)
        let statistics = ServerWatch()
        let endpoints = Endpoints(
            registry: registry,
            collector: collector,
            history: history,
            settings: loaded.effective,
            statistics: statistics,
            timeSource: timeSource,
            logger: logger.named("http")
        )
        let server = HTTPServer(
            serverConfiguration(settings),
            handler: try endpoints.handler(settings.server),
            logger: logger.named("server"),
            observer: requests.answered
        )
        statistics.watch(server)
        try server.bind()
        return Exporter(
            collector: collector,
            meter: meter,
            store: store,
            scheduler: Scheduler(
                interval: settings.scheduler.collectionInterval,
                logger: logger.named("scheduler"),
                onSkip: instruments.cyclesSkipped
            ),
            server: server,
            history: history,
            logger: logger
        )
    }

    private static func register(
        _ registry: Registry,
        _ collector: Collector,
        _ timeSource: any TimeSource,
        _ settings: ExporterSettings
    ) throws {
        try registry.register(
            DeviceMetrics(staleAfter: settings.metrics.staleAfter, timeSource: timeSource) { collector.snapshot }
        )
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

    private static func clientConfiguration(_ settings: WinPowerSettings) -> WinPowerClient.Configuration {
        WinPowerClient.Configuration(
            loginPath: settings.loginPath,
            devicesPath: settings.devicesPath,
            pageSize: settings.pageSize,
            deviceType: settings.deviceType,
            apiTimeout: settings.apiTimeout,
            timeout: settings.timeout,
            tokenLifetime: settings.tokenLifetime,
            refreshThreshold: settings.refreshThreshold
        )
    }

    private static func transportConfiguration(
        _ settings: WinPowerSettings,
        _ target: WinPowerTarget,
        logger: Logger
    ) throws -> HTTPClient.Configuration {
        let origin = try HTTPOrigin(parsing: target.baseURL.description)
        let proxy: HTTPProxy? =
            switch settings.proxy {
            case .none: nil
            case .environment: try .named(in: ProcessInfo.processInfo.environment, for: origin)
            case .address(let address): try HTTPProxy(parsing: address.url.reveal())
            }
        if let proxy { logger.info("WinPower is read through a proxy", ["proxy": .string(proxy.description)]) }
        let verification: TLSVerification =
            if settings.skipSSLVerify {
                .none
            } else if let path = settings.caFile {
                .authorities(path: path)
            } else {
                .system
            }
        return HTTPClient.Configuration(
            origin: origin,
            verification: verification,
            maxBodyBytes: settings.maxResponseBytes,
            userAgent: "\(Version.program)/\(Version.number)",
            proxy: proxy
        )
    }

    private static func serverConfiguration(_ settings: ExporterSettings) -> HTTPServer.Configuration {
        HTTPServer.Configuration(
            host: settings.server.host,
            port: settings.server.port,
            readTimeout: settings.server.readTimeout,
            writeTimeout: settings.server.writeTimeout,
            idleTimeout: settings.server.idleTimeout,
            maxConnections: settings.server.maxConnections,
            gracefulTimeout: settings.scheduler.gracefulShutdownTimeout
        )
    }

    /// The settings were loaded without requiring a WinPower server.
    private struct MissingTarget: Error, CustomStringConvertible {
        let description = "no WinPower server is set: set winpower.base_url, winpower.username and winpower.password"
    }
}
