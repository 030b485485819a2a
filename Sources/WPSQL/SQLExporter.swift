// SPDX-License-Identifier: MIT

import Synchronization
import WPConfig
import WPExporter
import WPHTTP
package import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPPassword
import WPPostgres
import WPQueries
import WPServer
import WPService

/// The running SQL exporter: its queries and its server.
package final class SQLExporter: Sendable {
    private let library: PostgresLibrary
    private let passwords = PasswordChecker()
    private let logger: Logger
    private let front = HandlerSwitch()
    private let current: Current
    private let runner: QueryRunner
    private let server: HTTPServer
    private let now: @Sendable () -> Duration

    /// The generation whose pages are served.
    private final class Current: Sendable {
        private let generation: Mutex<Generation>

        init(_ generation: Generation) {
            self.generation = Mutex(generation)
        }

        var value: Generation { generation.withLock { $0 } }

        func replace(with next: Generation) {
            generation.withLock { $0 = next }
        }
    }

    /// Makes everything and listens; queries do not run yet.
    /// - Parameter inherited: listening sockets that the process was started with; they win over host and port.
    /// - Throws: what fails first, in a sentence for an operator.
    package init(_ configuration: SQLConfiguration, inherited: [Int32] = [], logger: Logger) async throws {
        library = try PostgresLibrary()
        self.logger = logger
        let start = ContinuousClock.now
        now = { ContinuousClock.now - start }
        let (library, passwords, now) = (library, passwords, now)
        let (generation, tls) = try await Blocking.run {
            (
                try Generation(configuration, library: library, passwords: passwords, logger: logger, now: now),
                try Composition.tlsContext(configuration.loaded.settings.tls, logger: logger)
            )
        }
        let current = Current(generation)
        self.current = current
        runner = generation.runner(logger) {
            for pool in current.value.pools.values { pool.closeIdle() }
        }
        front.replace(with: generation.handler)
        let requests = generation.requests
        let settings = configuration.loaded.settings
        server = HTTPServer(
            HTTPServer.Configuration(host: settings.host, port: settings.port, tls: tls),
            handler: front,
            logger: logger.named("server"),
            observer: { requests.observe($0) }
        )
        let server = server
        try await Blocking.run { try server.bind(to: inherited) }
    }

    /// The port that it listens on.
    package var port: Int? { server.port }

    /// Serves and queries until the task is cancelled. Queries in flight are ended on their servers before it returns.
    /// - Throws: what the server failed with.
    package func run() async throws {
        let queries = Task { await runner.run() }
        let result: Result<Void, any Error> = await withTaskCancellationHandler {
            do {
                return .success(try await server.run())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            queries.cancel()
        }
        queries.cancel()
        await queries.value
        await current.value.close()
        try result.get()
    }

    /// Takes another version of the file. Where it cannot be used, the running one stays. Queries that did not change go
    /// on, and all keep the results that they have.
    /// - Parameter load: loads it; it may block.
    package func reload(_ load: @escaping @Sendable () throws -> SQLConfiguration) async {
        do {
            let (library, passwords, logger, running, now) = (library, passwords, logger, server.configuration, now)
            let previous = current.value
            let (configuration, next, serving) = try await Blocking.run {
                let configuration = try load()
                let next = try Generation(
                    configuration,
                    after: previous,
                    library: library,
                    passwords: passwords,
                    logger: logger,
                    now: now
                )
                var serving = running
                serving.tls = try Composition.tlsContext(configuration.loaded.settings.tls, logger: logger)
                return (configuration, next, serving)
            }
            try server.update(serving)
            for warning in configuration.warnings {
                logger.warn("The file needs attention", ["warning": .string(warning)])
            }
            await runner.replace(
                configuration.file,
                databases: next.pools,
                families: next.families,
                instruments: next.instruments,
                zone: configuration.zone
            ) {
                // A role may have no connections to spare for the new sessions.
                await previous.close(before: next)
            }
            front.replace(with: next.handler)
            current.replace(with: next)
            logger.info("The file was loaded again", ["queries": .int(configuration.file.queries.count)])
        } catch let faults as SQLFaults {
            for line in faults.lines {
                logger.error("The file cannot be used; the running one stays", ["error": .string(line)])
            }
        } catch {
            logger.error("The file cannot be used; the running one stays", ["error": .describing("\(error)")])
        }
    }

    // MARK: Without serving

    /// Runs each query once.
    /// - Returns: the exposition, and one sentence per failure.
    package static func once(
        _ configuration: SQLConfiguration,
        logger: Logger
    ) async throws -> (exposition: [UInt8], failures: [String]) {
        let generation = try await generation(of: configuration, logger: logger)
        let failures = await generation.runner(logger).runOnce()
        let gathering = await generation.registry.gather()
        await generation.close()
        return (ExpositionFormat.text.encode(gathering.families), failures)
    }

    /// Describes the columns of each query by the databases, without running it.
    package static func check(_ configuration: SQLConfiguration) async throws -> SQLCheck {
        let generation = try await generation(of: configuration, logger: .silent)
        let found = await generation.runner(.silent).describe()
        await generation.close()
        return SQLCheck(found)
    }

    private static func generation(of configuration: SQLConfiguration, logger: Logger) async throws -> Generation {
        let start = ContinuousClock.now
        return try await Blocking.run {
            try Generation(
                configuration,
                library: PostgresLibrary(),
                passwords: PasswordChecker(),
                logger: logger,
                now: { ContinuousClock.now - start }
            )
        }
    }
}
