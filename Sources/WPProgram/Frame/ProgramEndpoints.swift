// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPLogging
import WPMetricsHTTP
import WPServer
import WPSettings

/// The routes of a program for the current settings: the framework's, then the program's own.
struct ProgramEndpoints<Settings: ProgramSettings>: Sendable {
    private let context: ProgramContext<Settings>
    private let declared: ProgramContext<Settings>.Declarations
    private let metrics: MetricsHandler
    private let health: HealthEndpoint
    private let debug: DebugEndpoint
    private let levels: LogLevelEndpoint
    private let reload: ReloadEndpoint

    init(
        _ context: ProgramContext<Settings>,
        _ declared: ProgramContext<Settings>.Declarations,
        reloader: Reloader<Settings>,
        server: HTTPServer?
    ) {
        self.context = context
        self.declared = declared
        let (timeSource, logger) = (context.timeSource, context.logger.named("http"))
        metrics = MetricsHandler(context.registry, logger: logger, timeSource: timeSource)
        health = HealthEndpoint(
            program: context.description,
            checks: declared.health,
            timeSource: timeSource,
            started: timeSource.now
        )
        debug = DebugEndpoint(
            probe: DebugProbe(
                program: context.description,
                parts: declared.debug,
                settings: {
                    let running = await reloader.running
                    return (running.configFile, running.effective)
                },
                server: server,
                levels: logger.levels,
                timeSource: timeSource,
                started: timeSource.now
            )
        )
        levels = LogLevelEndpoint(
            levels: logger.levels,
            modules: Settings.allLogModules,
            timeSource: timeSource,
            logger: logger
        )
        reload = ReloadEndpoint { await reloader.reload(.request) }
    }

    /// The router of the chosen routes and the handlers that wrap it. Reads the password files.
    func handler(_ settings: Settings, _ choice: ProgramRoutes) throws -> any HTTPHandler {
        var handler: any HTTPHandler = try router(settings, choice)
        for wrap in declared.wrappers { handler = try wrap(settings, handler) }
        return handler
    }

    func router(_ settings: Settings, _ choice: ProgramRoutes) throws -> HTTPRouter {
        let (server, title) = (settings.server, context.description.title)
        var router = HTTPRouter(problems: ErrorReply.renderer(context.timeSource))
        router.accessControl = try AccessControl.make(
            server.auth,
            realm: title,
            passwords: context.passwords,
            timeSource: context.timeSource,
            logger: context.logger.named("http")
        )
        router.on(.get, "/metrics", name: "metrics", metrics)
        // Health monitors must not need credentials.
        router.on(.get, "/health", name: "health", access: .open, health)
        let page = context.landingPage(settings)
        router.on(.get, "/", name: "landing") { _ in page }
        if server.enablePprof {
            for path in ["/debug/", "/debug/state.json"] { router.on(.get, path, name: "debug", debug) }
            // Relative, like all links, so that it works behind a proxy with a path prefix.
            router.on(.get, "/debug", name: "debug") { _ in
                HTTPResponse(status: HTTPStatus(code: 308), headers: ["Location": "debug/"])
            }
            for method in [HTTPMethod.get, .put] { router.on(method, "/debug/log-level", name: "debug", levels) }
        }
        if server.enableReload {
            for method in [HTTPMethod.put, .post] { router.on(method, "/-/reload", name: "reload", reload) }
        }
        for add in declared.routes { try add(settings, &router) }
        return router.filtered { choice.contains(ProgramRoutes(of: $0)) }
    }
}
