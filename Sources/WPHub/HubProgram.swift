// SPDX-License-Identifier: MIT

import Synchronization
package import WPCommandLine
import WPConfig
import WPFleet
import WPHTTP
import WPHistory
import WPLogging
import WPMetrics
package import WPProgram
import WPServer
import WPService
package import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `hub`: accepts reports, keeps their history, and serves the API.
package final class HubProgram: ExporterProgram {
    package static let description = ProgramDescription(
        own: "hub",
        title: "WinPower G2 hub",
        logName: "Hub",
        summary: "Receives the reports of nodes and exporters, keeps their history and serves it",
        discussion: [
            "Nodes post their snapshots to /metrics/node and servers with hub.url their readings to /metrics/ups. The "
                + "history is kept in history.db in the data directory; the API is described by /api/v2/openapi.json.",
            "On an address other than loopback, hub.token_file, hub.tokens_file or hub.token must be set. SIGHUP "
                + "reloads the settings, including tokens and certificates; SIGUSR1 reopens the log file.",
        ],
        metrics: "hub"
    )

    let service: HistoryService
    let intake: ReportIntake
    /// `hub.subject_metrics`
    private let subjectLimit: Mutex<Int>

    package init(_ context: ProgramContext<HubSettings>) async throws {
        let (settings, registry, timeSource) = (context.settings, context.registry, context.timeSource)
        try FileManager.default.createDirectory(
            atPath: settings.storage.dataDir,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750]
        )
        let service = try await HistoryService.open(
            try await Blocking.run { try History.Location(settings) },
            .init(interval: settings.history.interval, retention: settings.history.retention),
            fleet: Fleet.Configuration(settings),
            takesReports: true,
            prefix: "winpower_hub_history",
            timeSource: timeSource,
            registry: registry,
            logger: context.logger.named("storage")
        )
        context.atEnd { await service.history.close() }
        let intake = ReportIntake(service.fleet, timeSource: timeSource, logger: context.logger.named("http"))
        (self.service, self.intake) = (service, intake)
        subjectLimit = Mutex(settings.hub.subjectMetrics)
        try registry.register(HubMetrics.collector(service.fleet, intake))
        try registry.register(SubjectMetrics.collector(service.fleet) { [self] in subjectLimit.withLock { $0 } })

        context.component("history") { await service.history.run() }
        context.health("history") { service.history.health }
        context.health("fleet") { service.fleet.health }
        // More than the endpoint reads, so that it rejects and counts the reports that are too large.
        context.acceptsBodies(ofBytes: 1 << 30)
        context.routes(counting: ["node", "ups", "api", "page"]) { settings, router in
            let access = try HubAccess(settings, readers: router.accessControl, context)
            router.accessControl = access.readers
            WebPage.mount(on: &router)
            // The path of the nodes page in atlhyper's web interface.
            router.on(.get, "/system/metrics", name: WebPage.route, access: .open) { _ in
                HTTPResponse(status: HTTPStatus(code: 302), headers: ["Location": "/"])
            }
            let api = service.api.with(access.readers == nil ? .unprotected : .allowed)
            router.mount(FleetAPI.prefix, name: FleetAPI.route, api)
            for kind in ReportEndpoint.Kind.allCases {
                let endpoint = access.reporting(ReportEndpoint(kind: kind, intake: intake))
                router.on(.post, "/metrics/\(kind.rawValue)", name: kind.rawValue, access: access.senders, endpoint)
            }
        }
        context.wrapRouter { settings, router in
            BrowserGuard(handler: router, names: settings.isOpen ? settings.hub.hostNameList : nil)
        }
        context.onReload { [self] new in
            service.fleet.apply(Fleet.Configuration(new))
            subjectLimit.withLock { $0 = new.hub.subjectMetrics }
        }
        context.logFields([
            "data_dir": .string(settings.storage.dataDir), "cluster": .string(settings.hub.cluster),
        ])
    }

    /// Rejects settings that would let anyone report or read.
    package static func load(
        _ options: ParsedOptions,
        environment: [String: String]
    ) throws -> LoadedSettings<HubSettings> {
        let loaded = try SettingsLoader(HubSettings.table, environment: environment).load(
            configPath: options.value(of: ConfigOption.name),
            flags: options.settingFlags
        )
        if let exposure = loaded.settings.exposure { throw OptionFault(.missingArgument, exposure) }
        return loaded
    }
}

extension History {
    /// The history's status for `/health`.
    fileprivate var health: HealthPart {
        let details = HistoryStatus(
            health: HistoryHealth(self),
            pending: status.pendingBuckets,
            error: status.failure?.message
        )
        if let failure = status.failure { return .degraded("history_\(failure.code.rawValue)", details) }
        return clockProblem == nil ? .ok(details) : .degraded("clock", details)
    }
}

/// The history's status in a hub's `/health`.
private struct HistoryStatus: Encodable {
    var health: HistoryHealth
    var pending: Int
    var error: String?

    enum CodingKeys: String, CodingKey {
        case error, pending = "pending_buckets"
    }

    func encode(to encoder: any Encoder) throws {
        try health.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pending, forKey: .pending)
        try container.encode(error, forKey: .error)
    }
}

extension Fleet {
    /// The subjects' status for `/health`.
    fileprivate var health: HealthPart {
        let (nodes, devices) = (counts(of: .node), counts(of: .ups))
        let all = (nodes: nodes.values.reduce(0, +), ups: devices.values.reduce(0, +))
        return .ok(
            FleetHealth(
                nodes: all.nodes,
                nodesOnline: nodes[.online] ?? 0,
                ups: all.ups,
                upsOnline: devices[.online] ?? 0
            ),
            summary: "\(all.nodes) nodes, \(all.ups) UPSes"
        )
    }
}

/// The subjects' status in a hub's `/health`.
private struct FleetHealth: Encodable {
    var nodes, nodesOnline, ups, upsOnline: Int

    enum CodingKeys: String, CodingKey {
        case nodes, ups, nodesOnline = "nodes_online", upsOnline = "ups_online"
    }
}
