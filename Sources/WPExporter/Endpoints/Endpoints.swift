// SPDX-License-Identifier: MIT

package import WPCollector
package import WPConfig
package import WPHTTP
package import WPLogging
package import WPMetrics
package import WPMetricsHTTP
package import WPModel
package import WPServer

/// What the exporter answers, and to whom.
struct Endpoints: Sendable {
    let registry: Registry
    let collector: Collector
    let history: CycleHistory
    let reloader: SettingsReloader
    let server: any ServerWatch
    let timeSource: any TimeSource
    let started: TimePoint
    let logger: Logger

    /// The routes, behind access control when the settings ask for it.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    func handler(_ settings: ServerSettings) throws -> any HTTPHandler {
        let collector = collector
        let hasDebugPage = settings.enablePprof
        var router = HTTPRouter(problems: ErrorReply.renderer(timeSource))
        router.on(
            .get,
            "/metrics",
            name: "metrics",
            MetricsHandler(registry, logger: logger)
        )
        router.on(
            .get,
            "/health",
            name: "health",
            HealthEndpoint(snapshot: { collector.snapshot }, timeSource: timeSource, started: started)
        )
        router.on(.get, "/", name: "landing") { _ in LandingPage.response(hasDebugPage: hasDebugPage) }
        if hasDebugPage {
            let page = DebugEndpoint(
                probe: DebugProbe(
                    reloader: reloader,
                    server: server,
                    history: history,
                    collector: collector,
                    levels: logger.levels,
                    timeSource: timeSource,
                    started: started
                )
            )
            for path in ["/debug/", "/debug/state.json"] { router.on(.get, path, name: "debug", page) }
            // Relative, as all links are, so that it works behind a proxy with a prefix.
            router.on(.get, "/debug", name: "debug") { _ in
                HTTPResponse(status: HTTPStatus(code: 308), headers: ["Location": "debug/"])
            }
            let level = LogLevelEndpoint(levels: logger.levels, logger: logger)
            router.on(.get, "/debug/log-level", name: "debug", level)
            router.on(.put, "/debug/log-level", name: "debug", level)
        }
        if settings.enableReload {
            let reload = ReloadEndpoint { [reloader] in await reloader.reload(.request) }
            router.on(.put, "/-/reload", name: "reload", reload)
            router.on(.post, "/-/reload", name: "reload", reload)
        }
        router.accessControl = try AccessControl.make(settings.auth, timeSource: timeSource, logger: logger)
        return router
    }
}

/// What the debug page asks of the server that serves it.
protocol ServerWatch: Sendable {
    var statistics: ServerStatistics { get }

    /// How promptly the server's thread gets to its work; nil when it does not serve.
    func loopLag() async -> LoopLag?
}

extension HTTPServer: ServerWatch {}
