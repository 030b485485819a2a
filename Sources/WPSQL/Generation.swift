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

/// What one version of the file comes to: pools, families and the pages that show them. A reload makes another one, which
/// has the pools and counters of the one before as far as nothing about them changed.
final class Generation: Sendable {
    /// What has to be the same for a pool to be kept.
    private struct PoolKey: Hashable {
        let address: PostgresAddress
        let maximumSessions: Int
        let connectSQL: [String]
        let isReadOnly: Bool
        let lockTimeout: Duration?
        let timezone: String
    }

    let configuration: SQLConfiguration
    let registry = Registry()
    let pools: [String: PostgresPool]
    let families: QueryFamilies
    let instruments: QueryInstruments
    let requests: RequestMetrics
    let handler: any HTTPHandler
    private let poolKeys: [String: PoolKey]

    /// Makes everything, and opens no session. It reads the files of secrets, and may block.
    /// - Parameters:
    ///   - passwords: kept over reloads, so that a password which was right is known at once.
    ///   - previous: the generation before a reload; nil at the start.
    init(
        _ configuration: SQLConfiguration,
        after previous: Generation? = nil,
        library: PostgresLibrary,
        passwords: PasswordChecker,
        logger: Logger,
        now: @escaping @Sendable () -> Duration
    ) throws {
        self.configuration = configuration
        let (file, settings) = (configuration.file, configuration.loaded.settings)
        var pools: [String: PostgresPool] = [:]
        var poolKeys: [String: PoolKey] = [:]
        for database in file.databases {
            let key = PoolKey(
                address: database.address,
                maximumSessions: database.maximumSessions,
                connectSQL: database.connectSQL,
                isReadOnly: database.isReadOnly,
                lockTimeout: database.lockTimeout,
                timezone: settings.timezone
            )
            let kept = previous?.poolKeys[database.name] == key ? previous?.pools[database.name] : nil
            pools[database.name] = kept ?? Self.pool(database, settings, library, logger)
            poolKeys[database.name] = key
        }
        let all = pools
        self.pools = all
        self.poolKeys = poolKeys
        families = try QueryFamilies(file, now: now)
        try registry.register(families)
        if let earlier = previous?.instruments, earlier.fits(file) {
            instruments = earlier
            try earlier.register(in: registry)
        } else {
            instruments = try QueryInstruments(registry, file)
        }
        try registry.register(
            try DatabaseCollector(file) { name in
                let statistics = all[name]?.statistics ?? PostgresPool.Statistics()
                return DatabaseCollector.Reading(isUp: statistics.isUp, sessions: statistics.sessions)
            }
        )
        try Self.registerProgram(in: registry)
        if let earlier = previous?.requests {
            requests = earlier
            try earlier.register(in: registry)
        } else {
            requests = try Self.requests(in: registry)
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

    /// Registers what the program shows of itself, whose names no metric of a file may have.
    static func reserveNames(in registry: Registry) throws {
        try registerProgram(in: registry)
        _ = try requests(in: registry)
    }

    private static func registerProgram(in registry: Registry) throws {
        try registry.register(ProcessCollector())
        try registry.register(
            BuildInfoCollector(
                program: "wpexporter_sql",
                version: Version.number,
                revision: Version.revision,
                swiftVersion: Version.swift
            )
        )
    }

    private static func requests(in registry: Registry) throws -> RequestMetrics {
        try RequestMetrics(
            registry: registry,
            prefix: "wpexporter_sql",
            routes: ["metrics", "health"],
            errorRoutes: ["metrics"]
        )
    }

    private static func pool(
        _ database: QueryFile.Database,
        _ settings: SQLSettings,
        _ library: PostgresLibrary,
        _ logger: Logger
    ) -> PostgresPool {
        var connector = PostgresConnector(library: library, address: database.address)
        connector.isReadOnly = database.isReadOnly
        connector.connectSQL = database.connectSQL
        connector.timeZone = settings.timezone.isEmpty ? nil : settings.timezone
        if let lockTimeout = database.lockTimeout { connector.lockTimeout = lockTimeout }
        return PostgresPool(
            connector,
            PostgresPool.Configuration(maximumSessions: database.maximumSessions),
            logger: logger.named("postgres").with(["database": .string(database.name)])
        )
    }

    /// Runs the queries.
    /// - Parameter housekeeping: called every few seconds.
    func runner(_ logger: Logger, housekeeping: @escaping @Sendable () -> Void = {}) -> QueryRunner {
        QueryRunner(
            configuration.file,
            databases: pools,
            families: families,
            instruments: instruments,
            surroundings: QueryRunner.Surroundings(zone: configuration.zone),
            logger: logger.named("queries"),
            housekeeping: housekeeping
        )
    }

    /// How long the sessions of a generation may take to end.
    private static let closePatience = Duration.seconds(4)

    /// Ends the sessions, and waits until the server has ended what they ran.
    /// - Parameter next: the generation that follows, whose sessions stay; nil at the end.
    func close(before next: Generation? = nil) async {
        let obsolete = pools.filter { name, pool in next?.pools[name] !== pool }.values
        await withTaskGroup(of: Void.self) { group in
            for pool in obsolete { group.addTask { await pool.close(within: Self.closePatience) } }
        }
    }

    /// Whether the databases answer. The status is 200 as long as the program serves: a database that is down is its own
    /// trouble, and a restart of this program would not mend it.
    private static func health(_ pools: [String: PostgresPool]) -> HTTPResponse {
        let down = pools.filter { $1.statistics.isUp == false }.map(\.key).sorted()
        return .text(down.isEmpty ? "ok\n" : "ok; not connected: \(down.joined(separator: ", "))\n")
    }
}
