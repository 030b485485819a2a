// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPLogging
import WPModel
public import WPServer
import WPSockets

/// A server for the Network UPS Tools protocol (RFC 9271, version 1.3), so that clients such as `upsmon` can shut
/// machines down before a battery is empty.
///
/// It never serves outdated data: a reading that is missing or older than ``Configuration/staleAfter`` results in an
/// error, not in the last known value. It is read-only.
public final class NUTServer: Sendable {
    private let hub: NUTHub
    private let server: LineServer
    private let source: any UPSStatusSource
    private let files: UsersFile

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - source: the source of observations.
    ///   - timeSource: the clock of the source's readings, of timeouts and of checks of the users file.
    ///   - version: the program's version, as shown to clients.
    ///   - logger: the logger.
    /// - Throws: ``UsersFileError`` if the users file is unusable.
    public convenience init(
        _ configuration: Configuration,
        source: any UPSStatusSource,
        timeSource: any TimeSource = .system,
        version: String,
        logger: Logger = .silent
    ) throws {
        try self.init(
            configuration,
            source: source,
            timeSource: timeSource,
            version: version,
            logger: logger,
            authenticator: Authenticator(timeSource: timeSource)
        )
    }

    init(
        _ configuration: Configuration,
        source: any UPSStatusSource,
        timeSource: any TimeSource,
        version: String,
        logger: Logger,
        authenticator: Authenticator
    ) throws {
        files = UsersFile(timeSource: timeSource, logger: logger) { authenticator.update($0) }
        try files.use(configuration.usersFile)
        let hub = NUTHub(
            configuration,
            authenticator: authenticator,
            timeSource: timeSource,
            version: version,
            logger: logger
        )
        self.hub = hub
        self.source = source
        var limits = LineServer.Limits()
        limits.maxConnections = configuration.maxConnections
        limits.oversizeAnswer = Array(NUTError.invalidArgument.reply.utf8)
        server = LineServer(
            name: "NUT",
            addresses: configuration.addresses,
            limits: limits,
            logger: logger,
            timeSource: timeSource
        ) { peer in
            hub.admit(peer)
        }
    }

    /// The fault of a users file; nil if it is valid. Blocks.
    package static func fault(ofUsersFile path: String) -> String? {
        do throws(UsersFileError) {
            _ = try UsersFile.read(path)
            return nil
        } catch {
            return error.description
        }
    }

    /// Listens, so that clients can connect; they are served once ``run()`` is called.
    /// - Throws: if an address is unavailable.
    public func bind() throws(HTTPServerError) { try server.bind() }

    /// The ports in the order of the addresses, after ``bind()``; empty while it runs.
    public var ports: [Int] { server.ports }

    /// Serves until the task is cancelled.
    /// - Throws: `HTTPServerError` if it cannot start.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [server, source, hub, files] group in
            group.addTask { try await server.run() }
            group.addTask {
                for await observation in source.observations() { hub.record(observation) }
            }
            group.addTask { await files.follow() }
            // The stream of observations may end before the server; a failure of the server cancels the rest.
            while try await group.next() != nil {}
        }
    }

    /// Applies a new configuration. The addresses and limits do not change.
    /// - Throws: ``UsersFileError`` if the users file is unusable; in that case nothing changes.
    public func update(_ configuration: Configuration) throws { try prepare(configuration)() }

    /// Prepares a new configuration without applying it.
    /// - Returns: a function that applies it.
    /// - Throws: ``UsersFileError`` if the users file is unusable.
    package func prepare(_ configuration: Configuration) throws(UsersFileError) -> @Sendable () -> Void {
        let commit = try files.prepare(configuration.usersFile)
        return { [hub] in
            commit()
            hub.update(configuration)
        }
    }

    /// The server's counters and current state.
    public var statistics: Statistics {
        var statistics = hub.statistics
        let connections = server.statistics
        statistics.openConnections = connections.open
        statistics.acceptedConnections = connections.accepted
        statistics.rejectedConnections = connections.rejected
        statistics.failedHandshakes = connections.failedHandshakes
        statistics.areUsersCurrent = files.isCurrent
        return statistics
    }
}
