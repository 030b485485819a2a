// SPDX-License-Identifier: MIT

import WPCommandLine
import WPLogging
import WPProgram
import WPSQL
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter sql`
enum SQLCommand: Command {
    private static let once = CommandOption("--once", help: "Run each query once, print the exposition, and exit")

    static let name = "sql"
    static let spec = ProgramCommand<SQLProgram>.spec(
        group: CommandGroup.run,
        options: [once],
        examples: [
            .init("wpexporter sql --config queries.yaml --check", "Check a file against the databases"),
            .init("wpexporter sql --config deploy/sql/oneclick.yaml", "Pull requests of Bitbucket, from $DATABASE_URL"),
        ],
        failures: "a failure, such as a port in use, no libpq, or a query that fails or does not fit its metrics"
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let environment = ProcessInfo.processInfo.environment
        if options.contains(ConfigOption.check.name) {
            return try await check(try SQLProgram.load(options, environment: environment))
        }
        if options.contains(once.name) {
            return try await once(try SQLProgram.load(options, environment: environment))
        }
        return try await ProgramCommand<SQLProgram>.run(options)
    }

    /// Checks the file, and its queries against their databases.
    private static func check(_ loaded: LoadedSettings<SQLSettings>) async throws -> ExitStatus {
        ConfigOption.warn(loaded)
        try Console.output("The file is valid: \(loaded.settings.queries.queries.count) queries\n")
        let found = try await SQLProgram.check(loaded.settings)
        for line in found.lines { try Console.output(line + "\n") }
        if found.unknownCount > 0 {
            Console.error("warning: \(found.unknownCount) queries are not checked: their databases cannot be reached\n")
        }
        return found.isValid ? .success : .failure
    }

    private static func once(_ loaded: LoadedSettings<SQLSettings>) async throws -> ExitStatus {
        let (exposition, failures) = try await SQLProgram.once(loaded.settings, logger: .silent)
        try Console.output(String(decoding: exposition, as: UTF8.self))
        for failure in failures { Console.error("\(Version.program): \(failure)\n") }
        return failures.isEmpty ? .success : .failure
    }
}
