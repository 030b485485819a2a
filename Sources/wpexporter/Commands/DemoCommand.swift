// SPDX-License-Identifier: MIT

import WPCollector
import WPCommandLine
import WPConfig
import WPService
import WPExporter
import WPHistory
import WPLogging
import WPModel
import WPServer
import WPSimulator
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter demo`
enum DemoCommand: Command {
    static let name = "demo"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Runs the exporter against a simulated WinPower server, without any settings",
        discussion: [
            "Both listen on free ports of this computer only, and the energy totals go to a temporary directory that is "
                + "removed at the end. It runs until Ctrl-C; without a terminal it exits after 10 cycles, unless "
                + "--cycles says otherwise."
        ],
        options: [
            CommandOption("--devices", .value("N"), help: "Number of UPSes", defaultText: "5"),
            CommandOption("--interval", .value("DURATION"), help: "Time between cycles", defaultText: "1s"),
            CommandOption("--cycles", .value("N"), help: "Exit after this number of cycles; 0 is never"),
            CommandOption("--port", .value("PORT"), help: "Port of the exporter; 0 picks a free one", defaultText: "0"),
            CommandOption(
                "--scenario",
                .word("NAME", Scenario.allCases.map(\.rawValue)),
                help: "Scenario; see `simulate --help`",
                defaultText: "normal"
            ),
            CommandOption("--no-history", help: "Start without the simulated past of 30 days that fills the charts"),
            CommandOption("--seed", .value("N"), help: "Seed of the devices and loads", defaultText: "1"),
        ],
        examples: [.init("wpexporter demo --devices 50", "A larger fleet")],
        exitStatuses: [.init(0, "it was shut down"), .init(1, "it failed"), .init(2, "invalid arguments")]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let service = Service(gracePeriod: .seconds(5))
        try await service.run {
            let cycles = try options.integer(of: "--cycles", in: 0...Int.max) ?? (Console.isTerminal ? 0 : 10)
            let simulator = try simulator(options)
            try simulator.bind()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await simulator.run() }
                group.addTask { try await demonstrate(options, simulator, cycles, service) }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        return .success
    }

    /// Runs the exporter for a number of cycles, 0 for no end.
    private static func demonstrate(
        _ options: ParsedOptions,
        _ simulator: SimulatorServer,
        _ cycles: Int,
        _ service: Service
    ) async throws {
        let interval = try options.duration(of: "--interval") ?? .seconds(1)
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let directory = FileManager.default.temporaryDirectory.appending(path: "wpexporter-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = simulator.url ?? ""
        let loaded = try settings(options, url: url, directory: directory.path, interval: interval)
        if !options.contains("--no-history") {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: SQLiteHistoryStore.fileName)
            try await DemoHistory.fill(file.path, from: simulator.simulator, now: SystemTimeSource().now)
        }
        let exporter = try await Composition.exporter(loaded: loaded, logger: logging.logger)
        introduce(simulator: url, exporter: "http://127.0.0.1:\(exporter.server?.port ?? 0)")
        service.ready()
        let (end, reached) = AsyncStream<Void>.makeStream()
        try await exporter.run(until: { for await _ in end {} }) { snapshot in
            Console.output(line(snapshot))
            if snapshot.generation == cycles { reached.finish() }
        }
        let total = exporter.collector.snapshot.totals.values.reduce(0) { $0 + $1.wattHours }
        Console.output(
            "\nMetered \(Decimals.text(total, 3)) Wh in this run. Now for a real server: wpexporter devices --help\n"
        )
    }

    private static func simulator(_ options: ParsedOptions) throws -> SimulatorServer {
        SimulatorServer(
            simulator: WinPowerSimulator(
                configuration: SimulatorConfiguration(
                    deviceCount: try options.integer(of: "--devices", in: 0...10_000) ?? 5,
                    seed: UInt64(try options.integer(of: "--seed", in: 0...Int.max) ?? 1),
                    scenario: options.value(of: "--scenario").flatMap(Scenario.init) ?? .normal,
                    password: Secret(SimulateCommand.password)
                )
            )
        )
    }

    /// The settings of the demo, through the same loader as everybody's, with nothing from file or environment.
    private static func settings(
        _ options: ParsedOptions,
        url: String,
        directory: String,
        interval: Duration
    ) throws -> LoadedSettings<ExporterSettings> {
        let values: [(key: String, value: String)] = [
            ("server.host", "127.0.0.1"),
            ("server.port", options.value(of: "--port") ?? "0"),
            ("winpower.base_url", url),
            ("winpower.username", "admin"),
            ("winpower.password", SimulateCommand.password),
            ("storage.data_dir", directory),
            ("energy.tariff", "0.3"),
            ("scheduler.collection_interval", DurationText.format(interval)),
        ]
        return try SettingsLoader(ExporterSettings.table, environment: [:], files: NoFiles()).load(
            flags: values.map { ParsedFlag("--\($0.key)", key: $0.key, value: $0.value) }
        )
    }

    private struct NoFiles: SettingsFileReader {
        func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile {
            throw SettingsFileError(.missing, path: path, "the demo reads no files")
        }
    }

    private static func introduce(simulator: String, exporter: String) {
        Console.output(
            """
            WinPower G2 exporter \(Version.number), demo

              page       \(exporter)/
              metrics    \(exporter)/metrics
              health     \(exporter)/health
              simulator  \(simulator)

            Ctrl-C ends it.


            """
        )
    }

    static func line(_ snapshot: CollectionSnapshot) -> String {
        if let failure = snapshot.failure {
            return "cycle \(snapshot.generation): \(failure.reason.rawValue): \(failure.message)\n"
        }
        let watts = snapshot.readings.compactMap(\.load.watts).reduce(0, +)
        let wattHours = snapshot.totals.values.reduce(0) { $0 + $1.wattHours }
        return "cycle \(snapshot.generation): \(snapshot.readings.count) devices, \(Decimals.text(watts, 0)) W, "
            + "\(Decimals.text(wattHours, 3)) Wh\n"
    }
}
