// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPHTTP
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPModel
import WPPassword
import WPPostgres
import WPQueries
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What one version of the file comes to: pools, families and the queries that fill them. A reload makes another one.
final class Generation: Sendable {
    let registry = Registry()
    let runner: QueryRunner
    let requests: RequestMetrics
    let handler: any HTTPHandler
    private let pools: [String: PostgresPool]

    /// Makes everything, and opens no session. It reads the files of secrets, and may block.
    /// - Parameter passwords: kept over reloads, so that a password which was right is known at once.
    init(
        _ configuration: SQLConfiguration,
        library: PostgresLibrary,
        passwords: PasswordChecker,
        logger: Logger
    ) throws {
        let (file, settings) = (configuration.file, configuration.loaded.settings)
        var pools: [String: PostgresPool] = [:]
        for database in file.databases {
            var connector = PostgresConnector(library: library, address: database.address)
            connector.isReadOnly = database.isReadOnly
            connector.connectSQL = database.connectSQL
            connector.timeZone = settings.timezone.isEmpty ? nil : settings.timezone
            if let lockTimeout = database.lockTimeout { connector.lockTimeout = lockTimeout }
            pools[database.name] = PostgresPool(
                connector,
                PostgresPool.Configuration(maximumSessions: database.maximumSessions),
                logger: logger.named("postgres").with(["database": .string(database.name)])
            )
        }
        let all = pools
        self.pools = all
        let start = ContinuousClock.now
        let families = try QueryFamilies(file) { ContinuousClock.now - start }
        try registry.register(families)
        let instruments = try QueryInstruments(registry, file)
        try registry.register(
            try DatabaseCollector(file) { name in
                let statistics = all[name]?.statistics ?? PostgresPool.Statistics()
                return DatabaseCollector.Reading(isUp: statistics.isUp, sessions: statistics.sessions)
            }
        )
        try registry.register(ProcessCollector())
        try registry.register(
            BuildInfoCollector(
                program: "wpexporter_sql",
                version: Version.number,
                revision: Version.revision,
                swiftVersion: Version.swift
            )
        )
        requests = try RequestMetrics(
            registry: registry,
            prefix: "wpexporter_sql",
            routes: ["metrics", "health"],
            errorRoutes: ["metrics"]
        )
        runner = QueryRunner(
            file,
            databases: all,
            families: families,
            instruments: instruments,
            surroundings: QueryRunner.Surroundings(zone: configuration.zone),
            logger: logger.named("queries")
        ) {
            for pool in all.values { pool.closeIdle() }
        }
        var router = HTTPRouter()
        router.on(.get, "/metrics", name: "metrics", MetricsHandler(registry, logger: logger.named("http")))
        router.on(.get, "/health", name: "health", ClosureHTTPHandler { _ in Self.health(all) })
        router.on(
            .get,
            "/",
            name: "landing",
            ClosureHTTPHandler { _ in .text("wpexporter sql \(Version.number)\n\n/metrics\n/health\n") }
        )
        router.accessControl = try AccessControl.make(
            settings.auth,
            realm: "SQL exporter",
            passwords: passwords,
            timeSource: SystemTimeSource(),
            logger: logger.named("http")
        )
        handler = router
    }

    /// Ends the sessions.
    func close() {
        for pool in pools.values { pool.close() }
    }

    /// Whether the databases answer. The status is 200 as long as the program serves: a database that is down is its own
    /// trouble, and a restart of this program would not mend it.
    private static func health(_ pools: [String: PostgresPool]) -> HTTPResponse {
        let down = pools.filter { $1.statistics.isUp == false }.map(\.key).sorted()
        return .text(down.isEmpty ? "ok\n" : "ok; not connected: \(down.joined(separator: ", "))\n")
    }
}
