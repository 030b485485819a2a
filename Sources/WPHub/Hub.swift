// SPDX-License-Identifier: MIT

package import WPConfig
package import WPExporter
import WPFleet
import WPHTTP
import WPHistory
package import WPLogging
package import WPMetrics
import WPMetricsHTTP
package import WPModel
import WPPages
import WPPassword
package import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The running hub: takes reports, keeps their history, and serves the API over it.
package final class Hub: Sendable {
    package let server: HTTPServer
    package let registry: Registry
    /// Has the hub take other settings.
    package let reloader: SettingsReloader
    let service: HistoryService
    let intake: ReportIntake
    private let logger: Logger

    /// Makes a hub that holds its data directory and listens.
    /// - Parameters:
    ///   - loaded: the settings, with the hub's own port.
    ///   - inherited: listening sockets that the process was started with; they win over host and port.
    ///   - reloading: where other settings come from later; nil for those that stay.
    /// - Throws: what the first part that fails says of itself, in a sentence for an operator.
    package static func open(
        _ loaded: LoadedSettings<ExporterSettings>,
        inherited: [Int32] = [],
        timeSource: any TimeSource = SystemTimeSource(),
        logger: Logger,
        reloading: Composition.Reloading? = nil
    ) async throws -> Hub {
        let settings = loaded.settings
        let registry = Registry()
        try FileManager.default.createDirectory(
            atPath: settings.storage.dataDir,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750]
        )
        let service = try await HistoryService.open(
            settings,
            takesReports: true,
            prefix: "winpower_hub_history",
            timeSource: timeSource,
            registry: registry,
            logger: logger.named(.storage)
        )
        do {
            let hub = try Hub(loaded, service, registry, inherited, timeSource, logger, reloading)
            await hub.reloader.use(hub.steps + (reloading?.steps ?? []))
            return hub
        } catch {
            await service.history.close()
            throw error
        }
    }

    private let endpoints: HubEndpoints
    private let front: HandlerSwitch
    private let subjects: SubjectMetrics

    private init(
        _ loaded: LoadedSettings<ExporterSettings>,
        _ service: HistoryService,
        _ registry: Registry,
        _ inherited: [Int32],
        _ timeSource: any TimeSource,
        _ logger: Logger,
        _ reloading: Composition.Reloading?
    ) throws {
        let settings = loaded.settings
        let intake = ReportIntake(service.fleet, timeSource: timeSource, logger: logger.named(.http))
        try registry.register(HubMetrics(service.fleet, intake))
        subjects = try SubjectMetrics(service.fleet, limit: settings.hub.subjectMetrics)
        try registry.register(subjects)
        try registry.register(ProcessCollector())
        try registry.register(
            BuildInfoCollector(
                program: "winpower_hub",
                version: Version.number,
                revision: Version.revision,
                swiftVersion: Version.swift
            )
        )
        let requests = try RequestMetrics(
            registry: registry,
            prefix: "winpower_hub",
            routes: ["node", "ups", "api", "page"]
        )
        let reloader = SettingsReloader(
            running: loaded,
            instruments: try ReloadInstruments(registry: registry, prefix: "winpower_hub", timeSource: timeSource),
            timeSource: timeSource,
            logger: logger.named(.settings),
            load: reloading?.load
        )
        endpoints = HubEndpoints(
            registry: registry,
            service: service,
            intake: intake,
            reloader: reloader,
            timeSource: timeSource,
            started: timeSource.now,
            logger: logger
        )
        front = HandlerSwitch()
        front.replace(with: try endpoints.handler(settings))
        server = HTTPServer(
            try Self.configuration(settings, logger: logger),
            handler: front,
            logger: logger.named(.server),
            observer: requests.observe,
            problems: ErrorReply.renderer(timeSource)
        )
        try server.bind(to: inherited)
        self.service = service
        self.intake = intake
        self.registry = registry
        self.reloader = reloader
        self.logger = logger
    }

    private static func configuration(
        _ settings: ExporterSettings,
        logger: Logger
    ) throws -> HTTPServer.Configuration {
        HTTPServer.Configuration(
            settings.takingReports,
            tls: try Composition.tlsContext(settings.server.tls, logger: logger)
        )
    }

    /// How the hub takes other settings: tokens and access, what is served, the server's limits and certificate, the price
    /// of energy.
    private var steps: [ReloadStep] {
        let server = Composition.step(server, logger: logger)
        return [
            ReloadStep(reading: { [self] new, _ in
                let handler = try endpoints.handler(new)
                return { [self] in front.replace(with: handler) }
            }),
            ReloadStep { new, running in try await server.prepare(new.takingReports, running.takingReports) },
            ReloadStep { [self] new in
                service.fleet.tariff = Tariff(price: new.energy.tariff, currency: new.energy.currency)
                subjects.limit = new.hub.subjectMetrics
            },
        ]
    }

    /// Serves until its task is cancelled; then saves what is not saved yet.
    package func run() async throws {
        defer { logger.flush() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { [self] group in
                group.addTask { [self] in try await server.run() }
                group.addTask { [self] in await service.history.run() }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        } catch {
            await service.history.close()
            throw error
        }
        await service.history.close()
    }
}

extension ExporterSettings {
    /// These settings for a server whose requests have the bodies of reports.
    fileprivate var takingReports: ExporterSettings {
        var settings = self
        settings.server.maxBodyBytes = max(settings.server.maxBodyBytes, ReportEndpoint.maxBytes)
        return settings
    }
}
