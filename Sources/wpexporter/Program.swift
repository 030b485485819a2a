// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPSQL
import WPTerminal

/// How the program ends.
enum ExitStatus: Int32 {
    /// It did what it was asked.
    case success = 0
    /// It could not.
    case failure = 1
    /// Its settings or arguments are at fault.
    case usage = 2
    /// Ctrl-C ended it before it was done: 128 and the number of SIGINT, as shells have it.
    case interrupted = 130
}

/// One command of the program.
protocol Command: Sendable {
    /// What the user calls it. It stands apart because asking every command for its options takes longer than `version` does.
    static var name: String { get }

    /// Its name, options and help.
    static var spec: CommandSpec { get }

    /// Runs it.
    /// - Throws: `OptionFault` or `SettingsFaults` for what the user got wrong; anything else for what failed.
    static func run(_ options: ParsedOptions) async throws -> ExitStatus
}

/// The headings that help shows the commands under.
enum CommandGroup {
    static let run = "Run"
    static let look = "Inspect"
    static let prepare = "Set up"
    static let help = "Help"
}

/// All commands, and what they have in common: help, and how errors are reported.
enum Program {
    static var commands: [any Command.Type] {
        [
            ServerCommand.self, HubCommand.self, SQLCommand.self, NodeCommand.self, DemoCommand.self,
            SimulateCommand.self, DevicesCommand.self, WatchCommand.self, EnergyCommand.self, HistoryCommand.self,
            HealthcheckCommand.self,
            CheckConfigCommand.self, CompletionCommand.self, ManCommand.self, HelpCommand.self, VersionCommand.self,
        ]
    }

    static var spec: ProgramSpec {
        ProgramSpec(
            Version.program,
            summary: "Serves the UPSes behind a WinPower G2 server to Prometheus, with exact energy totals",
            commands: commands.map { $0.spec }
        )
    }

    static func run(_ arguments: [String]) async -> ExitStatus {
        guard let name = arguments.first else {
            Console.error(spec.help(width: Console.errorWidth))
            return .usage
        }
        do {
            switch name {
            case "-h", "--help": return try await HelpCommand.run(ParsedOptions.none)
            case "--version": return try await VersionCommand.run(ParsedOptions.none)
            default: return try await run(try command(named: name), Array(arguments.dropFirst()))
            }
        } catch let fault as OptionFault {
            Console.error("\(Version.program): \(fault)\n")
            return .usage
        } catch let faults as SettingsFaults {
            for fault in faults.faults { Console.error("\(Version.program): \(fault)\n") }
            return .usage
        } catch let faults as SQLFaults {
            for line in faults.lines { Console.error("\(Version.program): \(line)\n") }
            return .usage
        } catch let error as OutputError where error.isReaderGone {
            return .success
        } catch {
            Console.error("\(Version.program): \(error)\n")
            return .failure
        }
    }

    private static func run(_ command: any Command.Type, _ arguments: [String]) async throws -> ExitStatus {
        let options = try OptionParser(command.spec).parse(arguments)
        guard options.wantsHelp else { return try await command.run(options) }
        try Console.output(command.spec.help(program: Version.program, width: Console.outputWidth))
        return .success
    }

    private static func command(named name: String) throws -> any Command.Type {
        for command in commands where command.name == name { return command }
        // It says which names are near.
        _ = try spec.command(name)
        throw OptionFault(.unknownCommand, "there is no command \(name)")
    }
}

extension ParsedOptions {
    /// No options at all.
    static var none: ParsedOptions {
        get throws { try OptionParser(CommandSpec("", summary: "")).parse([]) }
    }
}
