// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPConfig
@testable import WPExporter
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
@testable import WPProgram
import WPServer
import WPSettings
import WPSimulator
import WPTestKit

/// The complete exporter against a simulator, over loopback, with cycles run by the test.
final class Stack: Sendable {
    let simulator: WinPowerSimulator
    let exporter: Exporter
    let log = CapturingLogHandler()

    private let upstream: SimulatorServer
    private let changes: Settings
    private let directory: TemporaryDirectory
    private let client: HTTPClient
    private let tasks: [Task<Void, any Error>]

    /// - Parameter settings: additional settings by key; an empty value omits one of the stack's own.
    init(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration(),
        settings: [String: String] = [:],
        parts: Exporter.Parts = Exporter.Parts(),
        directory: TemporaryDirectory? = nil
    ) async throws {
        simulator = WinPowerSimulator(configuration: configuration)
        upstream = SimulatorServer(simulator: simulator)
        try upstream.bind()
        self.directory = try directory ?? TemporaryDirectory()
        let (url, directory) = (try #require(upstream.url), self.directory)
        let changes = Settings(settings)
        self.changes = changes
        var parts = parts
        parts.program.logger = log.logger
        exporter = try await Exporter(
            loaded: try Self.settings(url, directory, settings),
            parts: parts,
            reloading: Reloading(load: { try Self.settings(url, directory, changes.all) })
        )
        let port = try #require(exporter.server?.port)
        client = try HTTPClient(
            HTTPClient.Configuration(origin: try HTTPOrigin(parsing: "http://127.0.0.1:\(port)"))
        )
        let (upstream, exporter) = (upstream, exporter)
        tasks = [Task { try await upstream.run() }, Task { try await exporter.serve() }]
    }

    var dataDirectory: String { directory.file("data") }

    static func settings(
        _ url: String,
        _ directory: TemporaryDirectory,
        _ more: [String: String] = [:]
    ) throws -> LoadedSettings<ExporterSettings> {
        let base = [
            "server.host": "127.0.0.1", "server.port": "0", "winpower.base_url": url,
            "winpower.username": "admin", "winpower.password": "admin",
            "storage.data_dir": directory.file("data"),
        ]
        let all = base.merging(more) { _, new in new }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        return try SettingsLoader(ExporterSettings.table, environment: [:], files: NoFiles()).load(
            flags: all.map { ParsedFlag("--\($0.key)", key: $0.key, value: $0.value) },
            checksFiles: false
        )
    }

    /// Changes settings, effective after a reload.
    func change(_ settings: [String: String]) {
        changes.merge(settings)
    }

    /// Reloads the settings.
    @discardableResult
    func reload() async -> SettingsReloader.Outcome {
        await exporter.reloader.reload(.signal)
    }

    /// Runs one cycle.
    @discardableResult
    func cycle() async -> Collector.Outcome {
        await exporter.collector.collect()
    }

    func get(
        _ target: String,
        method: HTTPMethod = .get,
        headers: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(method: method, target: target, headers: headers, body: body)
        return try await client.send(request, timeout: .seconds(60))
    }

    /// The families that `/metrics` serves, as a scraper reads them.
    func scrape() async throws -> [MetricFamily] {
        let response = try await get("/metrics")
        #expect(response.status == .ok)
        return try ExpositionFormat.text.parse(response.bytes)
    }

    /// Stops everything and returns the data directory, which another stack can use.
    @discardableResult
    func stop() async throws -> TemporaryDirectory {
        client.close()
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
        try await exporter.finish()
        return directory
    }

    /// Settings that a test can change while the stack runs.
    private final class Settings: Sendable {
        private let values: Mutex<[String: String]>

        init(_ values: [String: String]) {
            self.values = Mutex(values)
        }

        var all: [String: String] { values.withLock { $0 } }

        func merge(_ more: [String: String]) {
            values.withLock { $0.merge(more) { _, new in new } }
        }
    }

    private struct NoFiles: SettingsFileReader {
        func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile {
            throw SettingsFileError(.missing, path: path, "tests read no files")
        }
    }
}

extension [MetricFamily] {
    /// The metrics of a family; empty if it is absent.
    func metrics(_ name: String) -> [Metric] {
        first { $0.name == name }?.metrics ?? []
    }

    /// The value of the only series with these labels; nil if there is none.
    func value(_ name: String, _ labels: KeyValuePairs<String, String> = [:]) -> Double? {
        let metric = metrics(name).first { metric in labels.allSatisfy { metric.labels[$0.key] == $0.value } }
        guard case .value(let value)? = metric?.value else { return nil }
        return value
    }
}
