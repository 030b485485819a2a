// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
import WPServer

/// What the exporter answers, and to whom.
struct Endpoints: Sendable {
    let registry: Registry
    let collector: Collector
    let history: CycleHistory
    let settings: [EffectiveSetting]
    let statistics: ServerWatch
    let timeSource: any TimeSource
    let logger: Logger

    /// The routes, behind access control when the settings ask for it.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    func handler(_ settings: ServerSettings) throws -> any HTTPHandler {
        let collector = collector
        let hasDebugPage = settings.enablePprof
        var router = HTTPRouter()
        router.on(
            .get,
            "/metrics",
            name: "metrics",
            MetricsEndpoint(registry: registry, timeSource: timeSource, logger: logger)
        )
        router.on(
            .get,
            "/health",
            name: "health",
            HealthEndpoint(snapshot: { collector.snapshot }, timeSource: timeSource, started: timeSource.now)
        )
        router.on(.get, "/", name: "landing") { _ in LandingPage.response(hasDebugPage: hasDebugPage) }
        if hasDebugPage {
            router.on(
                .get,
                "/debug/",
                name: "debug",
                DebugEndpoint(
                    settings: self.settings,
                    statistics: statistics,
                    history: history,
                    collector: collector,
                    timeSource: timeSource
                )
            )
        }
        return try AccessControl.guarding(router, settings.auth, timeSource: timeSource, logger: logger)
    }
}

/// Reads the figures of a server that is made after whoever shows them.
final class ServerWatch: Sendable {
    private let server = Mutex<HTTPServer?>(nil)

    func watch(_ server: HTTPServer) {
        self.server.withLock { $0 = server }
    }

    var statistics: ServerStatistics {
        server.withLock { $0 }?.statistics ?? ServerStatistics()
    }
}
