// SPDX-License-Identifier: MIT

package import WPLogging
package import WPService
import WPSettings
import WPSockets

/// Common behaviour of the commands that run until stopped: the log, SIGHUP and SIGUSR1, and readiness.
package struct RunningService: Sendable {
    private let service: Service
    package let logging: LoggingSystem
    package var logger: Logger { logging.logger }

    /// Runs a program as a service. Signals are handled before any slow operation, so that a start that hangs can be
    /// stopped.
    package static func run(_ body: @escaping @Sendable (Service) async throws -> Void) async throws -> ExitStatus {
        let service = Service()
        try await service.run { try await body(service) }
        return .success
    }

    /// Opens the log and writes the warnings about the settings to it.
    /// - Parameter gracePeriod: the time limit for the shutdown.
    package init(
        _ service: Service,
        _ settings: LoggingSettings,
        gracePeriod: Duration,
        warnings: [String],
        about subject: String = "Setting needs attention"
    ) throws {
        self.service = service
        logging = try LoggingSystem(settings)
        service.configure(gracePeriod: gracePeriod, logger: logging.logger)
        // The usual soft limit is below the number of connections and files that the settings allow.
        OpenFileLimit.raise()
        for warning in warnings { logger.warn(subject, ["warning": .string(warning)]) }
    }

    /// Applies changed settings of the log and of the shutdown.
    package func steps<Settings: Sendable>(
        logging settings: @escaping @Sendable (Settings) -> LoggingSettings,
        gracePeriod: @escaping @Sendable (Settings) -> Duration
    ) -> [ReloadPart<Settings>] {
        [
            ReloadPart(reading: { [logging] new, _ in
                let change = try logging.change(to: settings(new))
                return { change() }
            }),
            ReloadPart { [service, logger] new in service.configure(gracePeriod: gracePeriod(new), logger: logger) },
        ]
    }

    /// Reports that the program has started, and runs it until it is stopped.
    /// - Parameters:
    ///   - program: the name in the log.
    ///   - fields: the log fields of the start record, besides the version.
    ///   - reload: applies new settings.
    package func run(
        _ program: ProgramDescription,
        _ fields: LogFields,
        reload: @escaping @Sendable () async -> Void,
        _ body: () async throws -> Void
    ) async throws {
        var all: LogFields = ["version": .string(program.version), "revision": .string(program.revision)]
        for field in fields.all { all.append(field.key, field.value) }
        logger.info("\(program.logName) started", all)
        service.serve { request in
            switch request {
            case .reload: await reload()
            case .reopenLogs: reopenLogs()
            }
        }
        service.ready()
        try await body()
        logger.info("\(program.logName) stopped")
    }

    private func reopenLogs() {
        do throws(LogSinkError) {
            try logging.reopen()
            logger.info("Log output reopened", ["signal": "SIGUSR1"])
        } catch {
            logger.error("The log file cannot be reopened", ["error": .string(error.description)])
        }
    }
}
