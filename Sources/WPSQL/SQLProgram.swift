// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPCore
package import WPLogging
import WPMetrics
import WPPostgres
package import WPProgram
import WPService
package import WPSettings

/// `sql`: runs queries on their schedules and serves their results.
package final class SQLProgram: ExporterProgram {
    package static let description = ProgramDescription(
        own: "sql",
        title: "SQL exporter",
        logName: "SQL exporter",
        summary: "Runs PostgreSQL queries on a schedule and serves their results to Prometheus",
        discussion: [
            "The file has the format of query-exporter with the additional keys server, logging, timezone, on_null and "
                + "keep; docs/sql.md describes it. SIGHUP reloads it."
        ],
        metrics: "sql"
    )

    /// Creates the program; queries do not run yet.
    package init(_ context: ProgramContext<SQLSettings>) async throws {
        let (registry, logger, timeSource) = (context.registry, context.logger, context.timeSource)
        let library = try PostgresLibrary()
        let make = { @Sendable (settings: SQLSettings, previous: Generation?) throws in
            try Generation(settings, after: previous, library: library, timeSource: timeSource, logger: logger)
        }
        let settings = context.settings
        let current = Latest(try await Blocking.run { try make(settings, nil) })
        let registrations = Latest(try current.value.register(in: registry))
        context.atEnd { await current.value.close() }
        let runner = current.value.runner(logger) {
            for pool in current.value.pools.values { pool.closeIdle() }
        }
        context.component("queries") { await runner.run() }
        context.health("databases") { current.value.health }
        context.onReload { new, _ in
            let previous = current.value
            let next = try await Blocking.run { try make(new, previous) }
            return {
                await runner.replace(
                    new.queries,
                    databases: next.pools,
                    families: next.families,
                    instruments: next.instruments,
                    zone: new.zone
                ) {
                    // The role's connection limit may leave no room for the new sessions.
                    await previous.close(before: next)
                }
                for registration in registrations.value { registry.unregister(registration) }
                do throws(MetricError) {
                    registrations.value = try next.register(in: registry)
                } catch {
                    // The names were checked when the file was loaded.
                    preconditionFailure("the metrics of a checked file cannot be registered: \(error)")
                }
                current.value = next
            }
        }
        context.logFields(["queries": .int(settings.queries.queries.count)])
    }

    package static func load(
        _ options: ParsedOptions,
        environment: [String: String]
    ) throws -> LoadedSettings<SQLSettings> {
        do throws(SQLFaults) {
            return try SQLConfiguration.load(
                path: options.value(of: ConfigOption.name),
                flags: options.settingFlags,
                environment: environment
            ).settings
        } catch {
            throw SettingsFaults(lines: error.lines)
        }
    }

    // MARK: Without serving

    /// Runs each query once.
    /// - Returns: the exposition, and one sentence per failure.
    package static func once(
        _ settings: SQLSettings,
        logger: Logger
    ) async throws -> (exposition: [UInt8], failures: [String]) {
        let generation = try await generation(of: settings, logger: logger)
        let registry = Registry()
        _ = try generation.register(in: registry)
        let failures = await generation.runner(logger).runOnce()
        let gathering = await registry.gather()
        await generation.close()
        return (ExpositionFormat.text.encode(gathering.families), failures)
    }

    /// Asks the databases for the columns of each query, without running it.
    package static func check(_ settings: SQLSettings) async throws -> SQLCheck {
        let generation = try await generation(of: settings, logger: .silent)
        let found = await generation.runner(.silent).describe()
        await generation.close()
        return SQLCheck(found)
    }

    private static func generation(of settings: SQLSettings, logger: Logger) async throws -> Generation {
        try await Blocking.run {
            try Generation(settings, library: PostgresLibrary(), timeSource: .system, logger: logger)
        }
    }
}

extension SQLConfiguration {
    /// The settings including the queries.
    package var settings: LoadedSettings<SQLSettings> {
        loaded.adding({ ($0.queries, $0.zone) = (file, zone) }, configFile: path, warnings: file.warnings)
    }
}
