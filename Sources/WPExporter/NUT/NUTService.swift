// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPCore
import WPFleet
import WPLogging
import WPMetrics
import WPModel
import WPNUT
import WPProgram

/// The server for Network UPS Tools, if the settings enable it.
final class NUTService: Sendable {
    private let source = CollectedUPSes()
    private let timeSource: any TimeSource
    private let logger: Logger
    /// The server, and its first port, which is only available before it runs.
    private let server: Mutex<(server: NUTServer, port: Int?)?>
    private let changes: AsyncStream<NUTServer?>
    private let change: AsyncStream<NUTServer?>.Continuation

    /// Creates and binds the server if it is enabled. Blocks.
    init(_ settings: ExporterSettings, timeSource: any TimeSource, registry: Registry, logger: Logger) throws {
        self.timeSource = timeSource
        self.logger = logger
        (changes, change) = AsyncStream.makeStream()
        let server = try settings.nut.enabled ? Self.server(settings.nut, source, timeSource, logger) : nil
        self.server = Mutex(server.map { ($0, $0.ports.first) })
        change.yield(server)
        try registry.register(NUTMetrics.collector { [weak self] in self?.statistics })
    }

    private static func server(
        _ settings: NUTSettings,
        _ source: CollectedUPSes,
        _ timeSource: any TimeSource,
        _ logger: Logger
    ) throws -> NUTServer {
        let server = try NUTServer(
            NUTServer.Configuration(settings, logger: logger),
            source: source,
            timeSource: timeSource,
            version: Version.number,
            logger: logger
        )
        try server.bind()
        return server
    }

    /// The server's statistics; nil if it is disabled.
    var statistics: NUTServer.Statistics? { server.withLock { $0 }?.server.statistics }

    /// The NUT address of a UPS; nil if it is not served.
    func address(of id: DeviceID) -> NUTAddress? {
        guard let (server, port) = server.withLock({ $0 }), let port else { return nil }
        return server.statistics.upses.first { $0.device == id }.map { NUTAddress(name: $0.name, port: port) }
    }

    /// The ports on which it listens; empty once it runs.
    var ports: [Int] { server.withLock { $0 }?.server.ports ?? [] }

    /// Its status for `/health`; nil if it is disabled.
    var health: NUTHealth? { statistics.map(NUTHealth.init) }

    /// Publishes a collection.
    func publish(_ snapshot: CollectionSnapshot) { source.publish(snapshot) }

    /// Applies new settings. A running server keeps its connections and addresses.
    var step: ReloadStep {
        ReloadStep(reading: { [self] new, running in
            guard new.nut != running.nut else { return {} }
            let current = server.withLock { $0?.server }
            guard new.nut.enabled else { return { [self] in replace(with: nil) } }
            if let current {
                let commit = try current.prepare(NUTServer.Configuration(new.nut, logger: logger))
                return { commit() }
            }
            let server = try Self.server(new.nut, source, timeSource, logger)
            return { [self] in replace(with: server) }
        })
    }

    private func replace(with server: NUTServer?) {
        self.server.withLock { $0 = server.map { ($0, $0.ports.first) } }
        change.yield(server)
    }

    /// Serves until the task is cancelled.
    func run() async {
        var serving: Task<Void, Never>?
        for await server in changes {
            serving?.cancel()
            await serving?.value
            serving = server.map { server in
                Task { [logger] in
                    do {
                        try await server.run()
                    } catch {
                        logger.error("The NUT server failed", ["error": .describing("\(error)")])
                    }
                }
            }
        }
        serving?.cancel()
        await serving?.value
    }
}
