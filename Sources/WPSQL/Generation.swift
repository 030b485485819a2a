// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPPostgres
import WPProgram
import WPServer
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The pools and families of one version of the file. A reload creates a new generation, which keeps the unchanged
/// pools and counters of the previous one.
final class Generation: Sendable {
    /// The properties that must be equal for a pool to be kept.
    private struct PoolKey: Hashable {
        let address: PostgresAddress
        let maximumSessions: Int
        let connectSQL: [String]
        let isReadOnly: Bool
        let lockTimeout: Duration?
        let timezone: String
    }

    let settings: SQLSettings
    let pools: [String: PostgresPool]
    let families: QueryFamilies
    let instruments: QueryInstruments
    private let databases: RowCollector<Void>
    private let poolKeys: [String: PoolKey]
    private let timeSource: any TimeSource

    /// Creates pools and families without opening a session. Reads secret files; may block.
    /// - Parameters:
    ///   - previous: the generation before a reload; nil at startup.
    init(
        _ settings: SQLSettings,
        after previous: Generation? = nil,
        library: PostgresLibrary,
        timeSource: any TimeSource,
        logger: Logger
    ) throws {
        self.settings = settings
        self.timeSource = timeSource
        let file = settings.queries
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
            pools[database.name] = kept ?? Self.pool(database, settings, library, timeSource, logger)
            poolKeys[database.name] = key
        }
        let all = pools
        self.pools = all
        self.poolKeys = poolKeys
        families = try QueryFamilies(file, timeSource: timeSource)
        databases = try DatabaseStatus.collector(file) { name in
            let statistics = all[name]?.statistics ?? PostgresPool.Statistics()
            return DatabaseStatus(isUp: statistics.isUp, sessions: statistics.sessions)
        }
        if let earlier = previous?.instruments, earlier.fits(file) {
            instruments = earlier
        } else {
            instruments = try QueryInstruments(file)
        }
    }

    /// Registers all families.
    /// - Returns: the registrations, to undo them.
    /// - Throws: `MetricError` for a name that is already registered; in that case nothing is registered.
    func register(in registry: Registry) throws(MetricError) -> [Registry.Registration] {
        var done: [Registry.Registration] = []
        do throws(MetricError) {
            for collector in [families, databases] + instruments.families as [any MetricCollector] {
                done.append(try registry.register(collector))
            }
        } catch {
            for registration in done { registry.unregister(registration) }
            throw error
        }
        return done
    }

    private static func pool(
        _ database: QueryFile.Database,
        _ settings: SQLSettings,
        _ library: PostgresLibrary,
        _ timeSource: any TimeSource,
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
            timeSource: timeSource,
            logger: logger.named("postgres").with(["database": .string(database.name)])
        )
    }

    /// Runs the queries.
    /// - Parameter housekeeping: called every few seconds.
    func runner(_ logger: Logger, housekeeping: @escaping @Sendable () -> Void = {}) -> QueryRunner {
        QueryRunner(
            settings.queries,
            databases: pools,
            families: families,
            instruments: instruments,
            zone: settings.zone,
            timeSource: timeSource,
            logger: logger.named("queries"),
            housekeeping: housekeeping
        )
    }

    /// The time limit for closing the sessions of a generation.
    private static let closeLimit = Duration.seconds(4)

    /// Closes the sessions, and waits until the server has ended their statements.
    /// - Parameter next: the following generation, whose sessions are kept; nil at shutdown.
    func close(before next: Generation? = nil) async {
        let obsolete = pools.filter { name, pool in next?.pools[name] !== pool }.values
        await withTaskGroup(of: Void.self) { group in
            for pool in obsolete { group.addTask { await pool.close(within: Self.closeLimit) } }
        }
    }

    /// Whether the databases respond.
    var health: HealthPart {
        let down = pools.filter { $1.statistics.isUp == false }.map(\.key).sorted()
        let details = ["disconnected": down]
        return down.isEmpty ? .ok(details) : .degraded("database", details)
    }
}
