// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPHTTP
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPModel
import WPPages
import WPPassword
package import WPServer

/// What the exporter answers, and to whom.
struct Endpoints: Sendable {
    /// A path that the exporter answers.
    struct Route: Sendable {
        var method: HTTPMethod
        var path: String
        var name: String
    }

    let registry: Registry
    let collector: Collector
    let history: CycleHistory
    let reloader: SettingsReloader
    /// The server that serves them; nil when that is another program's.
    let server: (any ServerWatch)?
    let timeSource: any TimeSource
    let started: TimePoint
    let pace: Pace
    /// Kept over reloads, so that a password which was right is known at once.
    let passwords: PasswordChecker
    /// The history, perhaps not open yet; nil without one.
    let past: OpeningHistory?
    /// The server for Network UPS Tools.
    let nut: NUTService
    let logger: Logger

    /// The routes that the settings enable.
    static func routes(_ settings: ServerSettings) -> [Route] {
        var routes = [
            Route(method: .get, path: "/metrics", name: "metrics"),
            Route(method: .get, path: "/health", name: "health"), Route(method: .get, path: "/", name: "landing"),
        ]
        if settings.enablePprof {
            routes += ["/debug/", "/debug/state.json", "/debug", "/debug/log-level"].map { path in
                Route(method: .get, path: path, name: "debug")
            }
            routes.append(Route(method: .put, path: "/debug/log-level", name: "debug"))
        }
        if settings.enableReload {
            routes += [HTTPMethod.put, .post].map { Route(method: $0, path: "/-/reload", name: "reload") }
        }
        return routes
    }

    /// The routes, behind access control when the settings ask for it. It reads the files of secrets.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    func handler(_ settings: ServerSettings) throws -> any HTTPHandler {
        let problems = ErrorReply.renderer(timeSource)
        var router = HTTPRouter(problems: problems)
        let handlers = handlers(settings)
        for route in Self.routes(settings) {
            guard let handler = handlers[route.path] else { continue }
            router.on(route.method, route.path, name: route.name, handler)
        }
        let access = try AccessControl.make(
            settings.auth,
            passwords: passwords,
            timeSource: timeSource,
            logger: logger
        )
        router.accessControl = access
        guard let past else { return router }
        // The page reads the API, so there is none without it.
        var withPage = router
        WebPage.mount(on: &withPage)
        let api = OpeningAPI(history: past) { [nut] in nut.place(of: DeviceID($0)) }
        let front = APIFront(api: access.map { $0.guarding(api, problems: problems) } ?? api, rest: withPage)
        return HistoryFront(history: past, with: front, without: router)
    }

    /// By path.
    private func handlers(_ settings: ServerSettings) -> [String: any HTTPHandler] {
        let collector = collector
        let hasDebugPage = settings.enablePprof
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
        return [
            "/metrics": MetricsHandler(registry, logger: logger),
            "/health": HealthEndpoint(
                snapshot: { collector.snapshot },
                timeSource: timeSource,
                started: started,
                pace: pace,
                history: { [past] in past?.health },
                nut: { [nut] in nut.health }
            ),
            "/": ClosureHTTPHandler { _ in LandingPage.response(hasDebugPage: hasDebugPage) },
            "/debug/": page,
            "/debug/state.json": page,
            // Relative, as all links are, so that it works behind a proxy with a prefix.
            "/debug": ClosureHTTPHandler { _ in
                HTTPResponse(status: HTTPStatus(code: 308), headers: ["Location": "debug/"])
            },
            "/debug/log-level": LogLevelEndpoint(levels: logger.levels, timeSource: timeSource, logger: logger),
            "/-/reload": ReloadEndpoint { [reloader] in await reloader.reload(.request) },
        ]
    }
}

/// The time between collections, which a reload may change.
final class Pace: Sendable {
    private let stored: Mutex<Duration>

    init(_ interval: Duration) {
        stored = Mutex(interval)
    }

    var interval: Duration { stored.withLock { $0 } }

    func set(_ interval: Duration) {
        stored.withLock { $0 = interval }
    }
}

/// What the debug page shows of the server that serves it.
protocol ServerWatch: Sendable {
    var statistics: ServerStatistics { get }

    /// How promptly the server's thread gets to its work; nil when it does not serve.
    func loopLag() async -> LoopLag?
}

extension HTTPServer: ServerWatch {}
