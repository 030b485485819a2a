// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPFleet
import WPHTTP
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPModel
import WPPages
import WPPassword
import WPServer

/// What a hub answers, and to whom.
struct HubEndpoints: Sendable {
    let registry: Registry
    let service: HistoryService
    let intake: ReportIntake
    let reloader: SettingsReloader
    let timeSource: any TimeSource
    let started: TimePoint
    let logger: Logger
    /// Kept over reloads, so that a password which was right is known at once.
    private let passwords = PasswordChecker()

    init(
        registry: Registry,
        service: HistoryService,
        intake: ReportIntake,
        reloader: SettingsReloader,
        timeSource: any TimeSource,
        started: TimePoint,
        logger: Logger
    ) {
        self.registry = registry
        self.service = service
        self.intake = intake
        self.reloader = reloader
        self.timeSource = timeSource
        self.started = started
        self.logger = logger
    }

    /// The routes that the settings enable, behind their access control. It reads the files of secrets.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    func handler(_ settings: ExporterSettings) throws -> any HTTPHandler {
        let problems = ErrorReply.renderer(timeSource)
        let access = try HubAccess(
            settings,
            passwords: passwords,
            timeSource: timeSource,
            logger: logger.named(.http)
        )
        var router = HTTPRouter(problems: problems)
        router.on(
            .get,
            "/health",
            name: "health",
            HubHealth(service: service, timeSource: timeSource, started: started)
        )
        router.on(.get, "/metrics", name: "metrics", access.reading(MetricsHandler(registry, logger: logger), problems))
        let page = access.reading(WebPage(), problems)
        router.on(.get, "/", name: WebPage.route, page)
        router.onPrefix(.get, WebPage.assetPrefix, name: WebPage.route, page)
        // Where atlhyper's web interface had its page of nodes.
        router.on(.get, "/system/metrics", name: WebPage.route) { _ in
            HTTPResponse(status: HTTPStatus(code: 302), headers: ["Location": "/"])
        }
        for kind in ReportEndpoint.Kind.allCases {
            let endpoint = ReportEndpoint(kind: kind, intake: intake)
            router.on(.post, "/metrics/\(kind.rawValue)", name: kind.rawValue, access.reporting(endpoint, problems))
        }
        if settings.server.enableReload {
            let reload = access.reading(ReloadEndpoint { [reloader] in await reloader.reload(.request) }, problems)
            for method in [HTTPMethod.put, .post] { router.on(method, "/-/reload", name: "reload", reload) }
        }
        return BrowserGuard(
            handler: APIFront(
                api: access.reading(service.api.with(access.protectsReading ? .allowed : .unprotected), problems),
                rest: router
            ),
            names: access.isOpen ? settings.hub.hostNameList : nil
        )
    }
}
