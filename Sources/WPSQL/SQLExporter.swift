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
    private struct State {
        var generation: Generation
        var run: Task<Void, Never>?
    }

    private let library: PostgresLibrary
    private let passwords = PasswordChecker()
    private let logger: Logger
    private let front = HandlerSwitch()
    private let state: Mutex<State>
    private let server: HTTPServer
    private let requests: CurrentRequests

    /// Makes everything and listens; queries do not run yet.
    /// - Parameter inherited: listening sockets that the process was started with; they win over host and port.
    /// - Throws: what fails first, in a sentence for an operator.
    package init(_ configuration: SQLConfiguration, inherited: [Int32] = [], logger: Logger) async throws {
        library = try PostgresLibrary()
        self.logger = logger
        let (library, passwords) = (library, passwords)
        let (generation, tls) = try await Blocking.run {
            (
                try Generation(configuration, library: library, passwords: passwords, logger: logger),
                try Composition.tlsContext(configuration.loaded.settings.tls, logger: logger)
            )
        }
        let state = Mutex(State(generation: generation))
        self.state = state
        front.replace(with: generation.handler)
        let requests = CurrentRequests(generation.requests)
        self.requests = requests
        let settings = configuration.loaded.settings
        server = HTTPServer(
            HTTPServer.Configuration(host: settings.host, port: settings.port, tls: tls),
            handler: front,
            logger: logger.named("server"),
            observer: { requests.current.observe($0) }
        )
        let server = server
        try await Blocking.run { try server.bind(to: inherited) }
    }

    /// The port that it listens on.
    package var port: Int? { server.port }

    /// Serves and queries until the task is cancelled.
    /// - Throws: what the server failed with.
    package func run() async throws {
        start(state.withLock { $0.generation })
        defer {
            let last = state.withLock { $0 }
            last.run?.cancel()
            last.generation.close()
        }
        try await server.run()
    }

    /// Takes another version of the file. Where it cannot be used, the running one stays.
    /// - Parameter load: loads it; it may block.
    package func reload(_ load: @escaping @Sendable () throws -> SQLConfiguration) async {
        do {
            let (library, passwords, logger, running) = (library, passwords, logger, server.configuration)
            let (configuration, next, serving) = try await Blocking.run {
                let configuration = try load()
                let next = try Generation(configuration, library: library, passwords: passwords, logger: logger)
                var serving = running
                serving.tls = try Composition.tlsContext(configuration.loaded.settings.tls, logger: logger)
                return (configuration, next, serving)
            }
            try server.update(serving)
            for warning in configuration.warnings {
                logger.warn("The file needs attention", ["warning": .string(warning)])
            }
            let old = state.withLock { state in
                defer { state.generation = next }
                return state
            }
            old.run?.cancel()
            old.generation.close()
            // Each query has a result again, or has failed, before the new families are shown.
            let first = Task { await next.runner.runOnce() }
            let patience = Task {
                try await Task.sleep(for: .seconds(10))
                first.cancel()
            }
            _ = await first.value
            patience.cancel()
            requests.replace(with: next.requests)
            front.replace(with: next.handler)
            start(next)
            logger.info("The file was loaded again", ["queries": .int(configuration.file.queries.count)])
        } catch let faults as SQLFaults {
            for line in faults.lines {
                logger.error("The file cannot be used; the running one stays", ["error": .string(line)])
            }
        } catch {
            logger.error("The file cannot be used; the running one stays", ["error": .describing("\(error)")])
        }
    }

    private func start(_ generation: Generation) {
        let run = Task { await generation.runner.run() }
        state.withLock { $0.run = run }
    }

    /// Where requests are counted now.
    private final class CurrentRequests: Sendable {
        private let metrics: Mutex<RequestMetrics>

        init(_ metrics: RequestMetrics) {
            self.metrics = Mutex(metrics)
        }

        var current: RequestMetrics { metrics.withLock { $0 } }

        func replace(with next: RequestMetrics) {
            metrics.withLock { $0 = next }
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
        let failures = await generation.runner.runOnce()
        let gathering = await generation.registry.gather()
        generation.close()
        return (ExpositionFormat.text.encode(gathering.families), failures)
    }

    /// Describes the columns of each query by the databases, without running it.
    package static func check(_ configuration: SQLConfiguration) async throws -> SQLCheck {
        let generation = try await generation(of: configuration, logger: .silent)
        defer { generation.close() }
        return SQLCheck(await generation.runner.describe())
    }

    private static func generation(of configuration: SQLConfiguration, logger: Logger) async throws -> Generation {
        try await Blocking.run {
            try Generation(configuration, library: PostgresLibrary(), passwords: PasswordChecker(), logger: logger)
        }
    }
}
