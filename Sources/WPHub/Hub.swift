// SPDX-License-Identifier: MIT

package import WPConfig
import WPExporter
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
    /// The port where nothing else is set.
    package static let defaultPort = 8082

    package let server: HTTPServer
    package let registry: Registry
    let service: HistoryService
    let intake: ReportIntake
    private let logger: Logger

    /// Makes a hub that holds its data directory and listens.
    /// - Parameters:
    ///   - loaded: the settings, with the hub's own port.
    ///   - inherited: listening sockets that the process was started with; they win over host and port.
    /// - Throws: what the first part that fails says of itself, in a sentence for an operator.
    package static func open(
        _ loaded: LoadedSettings<ExporterSettings>,
        inherited: [Int32] = [],
        timeSource: any TimeSource = SystemTimeSource(),
        logger: Logger
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
            return try Hub(settings, service, registry, inherited, timeSource, logger)
        } catch {
            await service.history.close()
            throw error
        }
    }

    private init(
        _ settings: ExporterSettings,
        _ service: HistoryService,
        _ registry: Registry,
        _ inherited: [Int32],
        _ timeSource: any TimeSource,
        _ logger: Logger
    ) throws {
        let intake = ReportIntake(service.fleet, timeSource: timeSource, logger: logger.named(.http))
        let problems = ErrorReply.renderer(timeSource)
        try registry.register(HubMetrics(service.fleet, intake))
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
        let access = try HubAccess(settings, timeSource: timeSource, logger: logger.named(.http))
        var router = HTTPRouter(problems: problems)
        router.on(
            .get,
            "/health",
            name: "health",
            HubHealth(service: service, timeSource: timeSource, started: timeSource.now)
        )
        router.on(.get, "/metrics", name: "metrics", access.reading(MetricsHandler(registry, logger: logger), problems))
        let page = access.reading(WebPage(), problems)
        router.on(.get, "/", name: WebPage.route, page)
        router.onPrefix(.get, WebPage.assetPrefix, name: WebPage.route, page)
        for kind in ReportEndpoint.Kind.allCases {
            let endpoint = ReportEndpoint(kind: kind, intake: intake)
            router.on(.post, "/metrics/\(kind.rawValue)", name: kind.rawValue, access.reporting(endpoint, problems))
        }
        var configuration = HTTPServer.Configuration(
            settings,
            tls: try Composition.tlsContext(settings.server.tls, logger: logger)
        )
        configuration.limits.maxBodyBytes = max(configuration.limits.maxBodyBytes, ReportEndpoint.maxBytes)
        server = HTTPServer(
            configuration,
            handler: APIFront(api: access.reading(service.api, problems), rest: router),
            logger: logger.named(.server),
            observer: requests.observe,
            problems: problems
        )
        try server.bind(to: inherited)
        self.service = service
        self.intake = intake
        self.registry = registry
        self.logger = logger
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
