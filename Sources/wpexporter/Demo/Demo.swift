// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPCommandLine
import WPConfig
import WPCore
import WPExporter
import WPHistory
import WPLogging
import WPModel
import WPProgram
import WPServer
import WPSettings
package import WPSimulator
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The exporter against a simulated WinPower server, in one process, with its data in a temporary directory.
package struct Demo: Sendable {
    /// The options of the demo.
    package struct Configuration: Sendable {
        /// The number of UPSes.
        package var devices = 5
        /// The seed for the devices and their loads.
        package var seed: UInt64 = 1
        /// The simulated scenario.
        package var scenario = Scenario.normal
        /// The interval between cycles.
        package var interval = Duration.seconds(1)
        /// The number of cycles to run; 0 for unlimited.
        package var cycles = 0
        /// The exporter's port; 0 picks a free one.
        package var port = 0
        /// Whether the charts begin with a simulated history of 30 days.
        package var hasHistory = true
        /// Whether Network UPS Tools clients are served.
        package var servesNUT = false

        package init() {}
    }

    private static let user = "admin"
    private static let password = "simulator"

    private let configuration: Configuration

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Runs the simulator and the exporter until the last cycle or until it is cancelled.
    /// - Parameters:
    ///   - output: prints lines.
    ///   - ready: called once, when both are listening.
    package func run(output: @escaping @Sendable (String) throws -> Void, ready: @escaping @Sendable () -> Void)
        async throws
    {
        let simulator = SimulatorServer(
            simulator: WinPowerSimulator(
                configuration: SimulatorConfiguration(
                    deviceCount: configuration.devices,
                    seed: configuration.seed,
                    scenario: configuration.scenario,
                    password: Secret(Self.password)
                )
            )
        )
        try simulator.bind()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await simulator.run() }
            group.addTask { try await export(from: simulator, output, ready) }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func export(
        from simulator: SimulatorServer,
        _ output: @escaping @Sendable (String) throws -> Void,
        _ ready: @Sendable () -> Void
    ) async throws {
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let directory = FileManager.default.temporaryDirectory.appending(path: "wpexporter-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = simulator.url ?? ""
        let loaded = try settings(url: url, directory: directory.path)
        var past: [EnergyRecord] = []
        if configuration.hasHistory {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: SQLiteHistoryStore.fileName)
            past = try await DemoHistory.fill(file.path, from: simulator.simulator, now: SystemTimeSource().now)
            // The energy total includes the simulated history.
            _ = try await EnergyTotals(loaded.settings.storage, logger: logging.logger).replace(with: past, reason: nil)
        }
        let before = past.reduce(0) { $0 + $1.total.wattHours }
        let exporter = try await Exporter(
            loaded: loaded,
            parts: Exporter.Parts(program: ProgramParts(logger: logging.logger))
        )
        try output(Self.introduction(simulator: url, exporter: "http://127.0.0.1:\(exporter.server?.port ?? 0)"))
        if let port = exporter.nutPorts.first {
            let name = try simulator.simulator.deviceIDs.first.map { try loaded.settings.nutName(of: $0) } ?? "UPS"
            try output("Network UPS Tools:\n  upsc -L localhost:\(port)\n  upsc \(name)@localhost:\(port)\n\n")
        }
        ready()
        let (end, reached) = AsyncStream<Void>.makeStream()
        let failure = Mutex<(any Error)?>(nil)
        try await exporter.run(until: { for await _ in end {} }) { snapshot in
            do {
                try output(Self.line(snapshot, before: before))
            } catch {
                failure.withLock { $0 = error }
                reached.finish()
            }
            if snapshot.generation == configuration.cycles { reached.finish() }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        let total = exporter.collector.snapshot.totals.values.reduce(0) { $0 + $1.wattHours } - before
        try output(
            "\nMetered \(Decimals.text(total, 3)) Wh in this run. Now for a real server: wpexporter devices --help\n"
        )
    }

    /// The settings of the demo, loaded as usual, but without a file or the environment.
    private func settings(url: String, directory: String) throws -> LoadedSettings<ExporterSettings> {
        let values: [(key: String, value: String)] = [
            ("server.host", "127.0.0.1"),
            ("server.port", String(configuration.port)),
            ("winpower.base_url", url),
            ("winpower.username", Self.user),
            ("winpower.password", Self.password),
            ("storage.data_dir", directory),
            ("energy.tariff", "0.3"),
            ("energy.currency", "EUR"),
            ("scheduler.collection_interval", DurationText.format(configuration.interval)),
            ("nut.enabled", String(configuration.servesNUT)),
            ("nut.listen", "127.0.0.1:0"),
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

    private static func introduction(simulator: String, exporter: String) -> String {
        """
        WinPower G2 exporter \(Version.number), demo

          page       \(exporter)/
          metrics    \(exporter)/metrics
          health     \(exporter)/health
          simulator  \(simulator)

        Ctrl-C ends it.


        """
    }

    /// - Parameter before: the energy of the simulated history, subtracted from the totals.
    private static func line(_ snapshot: CollectionSnapshot, before: Double) -> String {
        if let failure = snapshot.failure {
            return "cycle \(snapshot.generation): \(failure.reason.rawValue): \(failure.message)\n"
        }
        let watts = snapshot.readings.compactMap(\.load.watts).reduce(0, +)
        let wattHours = snapshot.totals.values.reduce(0) { $0 + $1.wattHours } - before
        return "cycle \(snapshot.generation): \(snapshot.readings.count) devices, \(Decimals.text(watts, 0)) W, "
            + "\(Decimals.text(wattHours, 3)) Wh\n"
    }
}
