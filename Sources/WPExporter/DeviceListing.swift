// SPDX-License-Identifier: MIT

package import WPConfig
package import WPDashboard
import WPLogging
import WPModel
import WPNUT
import WPService
import WPTerminal

/// One reading of the devices, for a person who waits for it.
package enum DeviceListing {
    /// Reads the devices, shows progress on the standard error, and logs there what the reading warned of.
    /// - Parameter signals: those that end it.
    /// - Returns: nil when a signal came first.
    /// - Throws: what kept the devices from being read. It says why and what to do, so that nothing is logged besides.
    package static func report(
        _ loaded: LoadedSettings<ExporterSettings>,
        until signals: AsyncStream<Int32>
    ) async throws -> DeviceReport? {
        let server = loaded.settings.winpower.baseURL?.description ?? ""
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let progress = ReadingProgress(server: server, terminal: .standardError)
        defer { progress.end() }
        let log = MemoryLogHandler(capacity: 20)
        let logger = Logger(handler: log, threshold: LogThreshold(.warn))
        let source = try Composition.source(loaded: loaded, observer: progress, logger: logger)
        let readings = try await read(source, progress, until: signals)
        progress.end()
        guard let readings else { return nil }
        for record in log.records { logging.logger.log(record.level, record.message, record.fields) }
        var report = DeviceReport(server: server, time: SystemTimeSource().now, readings: readings)
        if loaded.settings.nut.enabled {
            let names = try loaded.settings.nut.upsNames
            report.nutNames = Dictionary(readings.map { ($0.device.id, names.name(of: $0.device.id)) }) { first, _ in
                first
            }
        }
        return report
    }

    private static func read(
        _ source: any DeviceSource,
        _ progress: ReadingProgress,
        until signals: AsyncStream<Int32>
    ) async throws -> [DeviceReading]? {
        try await withThrowingTaskGroup(of: [DeviceReading]?.self) { group in
            group.addTask { try await source.readDevices() }
            group.addTask {
                for await _ in signals { break }
                Signals.restoreDefaults(Signals.ending)
                return nil
            }
            let shown = Task { await progress.run() }
            defer {
                shown.cancel()
                group.cancelAll()
            }
            return try await group.next() ?? nil
        }
    }
}
