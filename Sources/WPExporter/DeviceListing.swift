// SPDX-License-Identifier: MIT

package import WPConfig
import WPCore
import WPLogging
import WPModel
import WPNUT
import WPService
package import WPSettings
import WPTerminal

/// A single reading of the devices for interactive use.
package enum DeviceListing {
    /// Reads the devices. Shows progress and logs warnings on standard error.
    /// - Parameter signals: the signals that interrupt it.
    /// - Returns: nil if a signal arrived first.
    /// - Throws: an error that says why the devices could not be read and how to fix it; nothing else is logged.
    package static func report(
        _ loaded: LoadedSettings<ExporterSettings>,
        until signals: AsyncStream<Int32>
    ) async throws -> DeviceReport? {
        let server = loaded.settings.winpower.baseURL?.description ?? ""
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let timeSource = SystemTimeSource()
        let progress = ReadingProgress(server: server, terminal: .standardError, timeSource: timeSource)
        defer { progress.end() }
        let log = MemoryLogHandler(capacity: 20)
        let logger = Logger(handler: log, threshold: LogThreshold(.warn))
        let source = try Components.source(
            loaded: loaded,
            timeSource: timeSource,
            observer: progress,
            logger: logger
        )
        let readings = try await read(source, progress, until: signals)
        progress.end()
        guard let readings else { return nil }
        for record in log.records { logging.logger.log(record.level, record.message, record.fields) }
        var report = DeviceReport(server: server, time: timeSource.now, readings: readings)
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
