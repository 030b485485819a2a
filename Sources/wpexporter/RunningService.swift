// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPLogging
import WPService
import WPSockets

/// What the commands have in common that run until they are told to stop: their log, what SIGHUP and SIGUSR1 do, and when
/// they are ready.
struct RunningService: Sendable {
    private let service: Service
    let logging: LoggingSystem
    var logger: Logger { logging.logger }

    /// Runs a program as a service. Its signals are taken before anything that may be slow, so that a start that hangs
    /// ends when it is told to.
    static func run(_ body: @escaping @Sendable (Service) async throws -> Void) async throws -> ExitStatus {
        let service = Service()
        try await service.run { try await body(service) }
        return .success
    }

    /// Opens the log, and says there what should be looked at.
    /// - Parameter gracePeriod: how long the program may take to end.
    init(
        _ service: Service,
        _ settings: LoggingSettings,
        gracePeriod: Duration,
        warnings: [String],
        about subject: String = "Setting needs attention"
    ) throws {
        self.service = service
        logging = try LoggingSystem(LoggingConfiguration(settings))
        service.configure(gracePeriod: gracePeriod, logger: logging.logger)
        // The usual soft limit is less than the connections and files that the settings allow.
        OpenFileLimit.raise()
        for warning in warnings { logger.warn(subject, ["warning": .string(warning)]) }
    }

    /// How the program takes other settings of its log and of its end.
    func steps<Settings: Sendable>(
        logging settings: @escaping @Sendable (Settings) -> LoggingSettings,
        gracePeriod: @escaping @Sendable (Settings) -> Duration
    ) -> [ReloadPart<Settings>] {
        [
            ReloadPart(reading: { [logging] new, _ in
                let change = try logging.change(to: LoggingConfiguration(settings(new)))
                return { change() }
            }),
            ReloadPart { [service, logger] new in service.configure(gracePeriod: gracePeriod(new), logger: logger) },
        ]
    }

    /// How a program of the exporter's settings takes others.
    func reloading(
        _ load: @escaping @Sendable () throws -> LoadedSettings<ExporterSettings>
    ) -> Composition.Reloading {
        Composition.Reloading(
            load: load,
            steps: steps(logging: \.logging, gracePeriod: \.scheduler.gracefulShutdownTimeout)
        )
    }

    /// Says that the program has started, and runs it until it is told to stop.
    /// - Parameters:
    ///   - name: what the log calls it.
    ///   - fields: what the log says of it besides its version.
    ///   - reload: has it take other settings.
    func run(
        _ name: String,
        _ fields: LogFields,
        reload: @escaping @Sendable () async -> Void,
        _ body: () async throws -> Void
    ) async throws {
        var all: LogFields = ["version": .string(Version.number), "revision": .string(Version.revision)]
        for field in fields.all { all.append(field.key, field.value) }
        logger.info("\(name) started", all)
        service.serve { request in
            switch request {
            case .reload: await reload()
            case .reopenLogs: reopenLogs()
            }
        }
        service.ready()
        try await body()
        logger.info("\(name) stopped")
    }

    private func reopenLogs() {
        do throws(LogSinkError) {
            try logging.reopen()
            logger.info("Log output reopened", ["signal": "SIGUSR1"])
        } catch {
            logger.error("The log file can't be reopened", ["error": .string(error.description)])
        }
    }
}
