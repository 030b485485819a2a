// SPDX-License-Identifier: MIT

import WPCommandLine
import WPProgram
import WPService
import WPSimulator

/// `wpexporter demo`
enum DemoCommand: Command {
    static let name = "demo"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Runs the exporter against a simulated WinPower server, without any settings",
        discussion: [
            "Both listen on free ports of this machine only, and the energy totals go to a temporary directory that is "
                + "removed at the end. It runs until Ctrl-C; without a terminal it exits after 10 cycles, unless "
                + "--cycles says otherwise."
        ],
        options: [
            CommandOption("--devices", .value("N"), help: "Number of UPSes", defaultText: "5"),
            CommandOption("--interval", .value("DURATION"), help: "Interval between cycles", defaultText: "1s"),
            CommandOption("--cycles", .value("N"), help: "Exit after this number of cycles; 0 means never"),
            CommandOption("--port", .value("PORT"), help: "Port of the exporter; 0 picks a free one", defaultText: "0"),
            CommandOption(
                "--scenario",
                .word("NAME", Scenario.allCases.map(\.rawValue)),
                help: "Scenario; see `simulate --help`",
                defaultText: "normal"
            ),
            CommandOption("--no-history", help: "Start without the 30 days of simulated history that fill the charts"),
            CommandOption("--nut", help: "Serve the UPSes to clients of Network UPS Tools, on a free port"),
            CommandOption("--seed", .value("N"), help: "Seed of the devices and loads", defaultText: "1"),
        ],
        examples: [.init("wpexporter demo --devices 50", "A larger fleet")],
        exitStatuses: [.init(0, "it was shut down"), .init(1, "it failed"), .init(2, "invalid arguments")]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let service = Service(gracePeriod: .seconds(5))
        try await service.run {
            let demo = Demo(try configuration(options, isTerminal: Console.isTerminal))
            try await demo.run(output: { try Console.output($0) }) { service.ready() }
        }
        return .success
    }

    /// - Parameter isTerminal: whether the demo runs until it is ended, rather than for a few cycles.
    static func configuration(_ options: ParsedOptions, isTerminal: Bool) throws -> Demo.Configuration {
        var configuration = Demo.Configuration()
        if let devices = try options.integer(of: "--devices", in: 0...10_000) { configuration.devices = devices }
        if let seed = try options.integer(of: "--seed", in: 0...Int.max) { configuration.seed = UInt64(seed) }
        if let scenario = options.value(of: "--scenario").flatMap(Scenario.init) { configuration.scenario = scenario }
        if let interval = try options.duration(of: "--interval") { configuration.interval = interval }
        if let port = try options.integer(of: "--port", in: 0...65535) { configuration.port = port }
        configuration.cycles = try options.integer(of: "--cycles", in: 0...Int.max) ?? (isTerminal ? 0 : 10)
        configuration.servesNUT = options.contains("--nut")
        configuration.hasHistory = !options.contains("--no-history")
        return configuration
    }
}
