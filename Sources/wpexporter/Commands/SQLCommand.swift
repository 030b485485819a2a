// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPLogging
import WPService
import WPSQL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter sql`
enum SQLCommand: Command {
    private static let file = CommandOption(
        "--config",
        .value("PATH"),
        help: "The YAML file with databases, metrics and queries; the first that exists of "
            + SQLSettings.table.searchPaths.joined(separator: ", ") + " when it is not given"
    )
    private static let check = CommandOption(
        "--check",
        help: "Check the file, describe each query's columns by its databases without running it, and exit"
    )
    private static let once = CommandOption("--once", help: "Run each query once, print the exposition, and exit")

    static let name = "sql"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Runs PostgreSQL queries on a schedule and serves their results to Prometheus",
        discussion: [
            "The file is query-exporter's, with the keys server, logging, timezone, on_null and keep besides; "
                + "docs/sql.md describes it. SIGHUP reloads it."
        ],
        options: [file, check, once],
        shared: SQLSettings.table.options,
        examples: [
            .init("wpexporter sql --config queries.yaml --check", "Check a file against the databases"),
            .init("wpexporter sql --config deploy/sql/oneclick.yaml", "Pull requests of Bitbucket, from $DATABASE_URL"),
        ],
        exitStatuses: [
            .init(0, "it was shut down; the file is valid (--check); all queries succeeded (--once)"),
            .init(1, "it failed: a port in use, no libpq, a query that does not fit its metrics or that fails"),
            .init(2, "the file or the arguments are invalid; all errors are reported"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let named = options.value(of: file.name)
        let flags = options.settingFlags
        let load = { @Sendable (path: String?) throws(SQLFaults) in
            try SQLConfiguration.load(path: path, flags: flags, environment: ProcessInfo.processInfo.environment)
        }
        if options.contains(check.name) { return try await check(load(named)) }
        if options.contains(once.name) { return try await once(load(named)) }
        return try await RunningService.run { service in try await serve(load, named, service) }
    }

    private static func serve(
        _ load: @escaping @Sendable (String?) throws -> SQLConfiguration,
        _ named: String?,
        _ service: Service
    ) async throws {
        let configuration = try load(named)
        // A reload reads the same file, also where another one has appeared before it.
        let path = configuration.path
        let settings = configuration.loaded.settings
        let running = try RunningService(
            service,
            settings.logging,
            gracePeriod: .seconds(10),
            warnings: configuration.warnings,
            about: "The file needs attention"
        )
        let logging = running.logging
        defer { logging.flush() }
        let exporter = try await SQLExporter(
            configuration,
            inherited: SocketActivation.takeDescriptors(),
            logger: logging.logger
        )
        let reload = { @Sendable in
            await exporter.reload {
                let next = try load(path)
                try logging.change(to: LoggingConfiguration(next.loaded.settings.logging))()
                return next
            }
        }
        let fields: LogFields = [
            "config_file": .string(path), "queries": .int(configuration.queryCount), "port": .int(exporter.port ?? 0),
        ]
        try await running.run("SQL exporter", fields, reload: reload) { try await exporter.run() }
    }

    private static func check(_ configuration: SQLConfiguration) async throws -> ExitStatus {
        for warning in configuration.warnings { Console.error("warning: \(warning)\n") }
        try Console.output("The file is valid: \(configuration.queryCount) queries\n")
        let found = try await SQLExporter.check(configuration)
        for line in found.lines { try Console.output(line + "\n") }
        if found.unknownCount > 0 {
            Console.error("warning: \(found.unknownCount) queries are not checked: their databases cannot be reached\n")
        }
        return found.isFine ? .success : .failure
    }

    private static func once(_ configuration: SQLConfiguration) async throws -> ExitStatus {
        let (exposition, failures) = try await SQLExporter.once(configuration, logger: .silent)
        try Console.output(String(decoding: exposition, as: UTF8.self))
        for failure in failures { Console.error("\(Version.program): \(failure)\n") }
        return failures.isEmpty ? .success : .failure
    }
}
