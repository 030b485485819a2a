// SPDX-License-Identifier: MIT

import Synchronization
public import WPLogging
public import WPModel
public import WPServer
import WPSockets

/// A server that speaks the protocol of Network UPS Tools (RFC 9271, version 1.3), so that `upsmon` and its like can shut machines
/// down before a battery is empty.
///
/// It never shows data that it can't trust: what is older than ``Configuration/staleAfter`` or missing is answered with an error,
/// and never with the last known value. It writes to no UPS.
public final class NUTServer: Sendable {
    private let hub: NUTHub
    private let server: LineServer
    private let source: any UPSStatusSource
    private let files: UsersFile

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - configuration: what it does.
    ///   - source: where it learns of UPSes.
    ///   - timeSource: the clock of the source's readings.
    ///   - version: the program's version, which clients see.
    ///   - logger: where it logs.
    /// - Throws: ``UsersFileError`` when the file of users can't be used.
    public convenience init(
        _ configuration: Configuration,
        source: any UPSStatusSource,
        timeSource: any TimeSource = SystemTimeSource(),
        version: String,
        logger: Logger = .silent
    ) throws {
        try self.init(
            configuration,
            source: source,
            timeSource: timeSource,
            version: version,
            logger: logger,
            clock: SystemMonotonicClock()
        )
    }

    init(
        _ configuration: Configuration,
        source: any UPSStatusSource,
        timeSource: any TimeSource,
        version: String,
        logger: Logger,
        clock: any MonotonicClock,
        authenticator: Authenticator = Authenticator()
    ) throws {
        files = UsersFile(logger: logger) { authenticator.update($0) }
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
            clock: clock
        ) { peer in
            hub.admit(peer)
        }
    }

    /// What is wrong with a file of users; nil if it can be used. It blocks.
    package static func fault(ofUsersFile path: String) -> String? {
        do throws(UsersFileError) {
            _ = try UsersFile.read(path)
            return nil
        } catch {
            return error.description
        }
    }

    /// Listens, so that connections are made from now on and served once ``run()`` is called.
    /// - Throws: when an address can't be had.
    public func bind() throws(HTTPServerError) { try server.bind() }

    /// The ports that it listens on after ``bind()``, in the order of the addresses; empty while it runs.
    public var ports: [Int] { server.ports }

    /// Serves until the task is cancelled.
    /// - Throws: `HTTPServerError` when it can't begin to.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [server, source, hub, files] group in
            group.addTask { try await server.run() }
            group.addTask {
                for await observation in source.observations() { hub.record(observation) }
            }
            group.addTask { await files.follow() }
            // The stream of observations may end before the server does; a failure of the server ends the rest.
            while try await group.next() != nil {}
        }
    }

    /// Takes other settings. The addresses and limits stay.
    /// - Throws: ``UsersFileError`` when the file of users can't be used; nothing changes then.
    public func update(_ configuration: Configuration) throws { try prepare(configuration)() }

    /// Reads what other settings need, and changes nothing yet.
    /// - Returns: takes the settings.
    /// - Throws: ``UsersFileError`` when the file of users can't be used.
    package func prepare(_ configuration: Configuration) throws(UsersFileError) -> @Sendable () -> Void {
        let commit = try files.prepare(configuration.usersFile)
        return { [hub] in
            commit()
            hub.update(configuration)
        }
    }

    /// What it has done, and what it shows now.
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
