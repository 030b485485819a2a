// SPDX-License-Identifier: MIT

import WPCommandLine
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ExporterProgram {
    /// Runs the program with the arguments of the process, and exits: `sensor [options]` serves, and the commands
    /// `check-config`, `healthcheck`, `completion`, `man`, `help` and `version` are available.
    public static func main() async {
        exit(await commands.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// The commands of a program with a single function. The main one is named `run` and is the default.
    package static var commands: CommandSet {
        let (description, table) = (description, Settings.table)
        let run = CommandEntry("run") {
            ProgramCommand<Self>.spec(name: "run")
        } _: { options in
            try await ProgramCommand<Self>.run(options)
        }
        let load = { @Sendable (options: ParsedOptions) in try Self.load(options) }
        return CommandSet(
            description,
            main: run,
            [
                HealthcheckCommand(description.name, table) { try load($0).settings.server }.entry,
                CheckConfigCommand(description.name, table, load: load).entry,
            ],
            manual: CommandSet.Manual(
                date: Version.date,
                environmentNote: "Variables that begin with \(table.prefix) are settings; see above.",
                files: table.searchPaths.isEmpty
                    ? []
                    : [
                        (
                            table.searchPaths.joined(separator: ", "),
                            "The configuration file is the first of these that exists, unless --config names another."
                        )
                    ]
            )
        )
    }
}
