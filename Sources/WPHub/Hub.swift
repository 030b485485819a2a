// SPDX-License-Identifier: MIT

public import WPFleet
import WPLogging
public import WPMetrics
public import WPProgram
public import WPServer
import WPService
import WPSettings

/// The hub, for embedding in another program: accepts the reports of nodes and exporters, keeps their history, and
/// serves metrics, an API and a web page.
///
/// ```swift
/// var settings = HubSettings()
/// settings.hub.tokenFile = "/run/secrets/hub_token"
/// let hub = try await Hub(settings: settings)
/// try hub.mount(on: &router, under: "/hub")
/// try await hub.run()
/// ```
///
/// It installs no signal handlers, has no global state and writes nothing to standard output.
public final class Hub: Sendable {
    private let frame: ProgramFrame<HubProgram>

    /// Creates a hub that holds the lock on its data directory, which it creates if necessary.
    ///
    /// The settings are validated like those of a file: ranges, rules, and the files they name. Warnings are logged.
    /// - Parameters:
    ///   - settings: the settings. `logging.*` is ignored: `parts` has a logger.
    ///   - listens: whether ``run()`` serves HTTP according to `server.*`, which requires a token unless the address is
    ///     a loopback address; otherwise use ``handler`` or ``mount(on:under:routes:access:)``.
    ///   - parts: its registry, logger and clock.
    /// - Throws: `SettingsFaults` with all faults of the settings; otherwise the first failure, such as a data
    ///   directory or an address that is in use.
    public init(
        settings: HubSettings,
        listens: Bool = false,
        parts: ProgramParts = ProgramParts()
    ) async throws {
        let loaded = try await Blocking.run { try Self.checked(settings, listens: listens) }
        for warning in loaded.warnings {
            parts.logger.named("settings").warn("Setting needs attention", ["warning": .string(warning)])
        }
        isListening = listens
        frame = try await ProgramFrame(loaded, listening: listens ? .some([]) : nil, parts: parts)
    }

    private let isListening: Bool

    private static func checked(_ settings: HubSettings, listens: Bool) throws -> LoadedSettings<HubSettings> {
        try SettingsLoader(HubSettings.table, environment: [:]).check(settings) { settings in
            listens ? settings.exposure.map { [SettingProblem(\.hub.tokenFile, $0)] } ?? [] : []
        }
    }

    /// The registry of the hub's metrics.
    public var registry: Registry { frame.registry }
    /// The UPSes and nodes that report, with their history.
    public var fleet: Fleet { frame.program.service.fleet }
    /// Handles the hub's requests with its access control; responds with 404 to any other path.
    public var handler: any HTTPHandler { frame.handler }
    /// The server; nil if the handler is mounted elsewhere.
    package var server: HTTPServer? { frame.server }

    /// Adds `/metrics`, `/health`, the reports at `/metrics/node` and `/metrics/ups`, the API, the page's assets and
    /// other enabled routes to a router; `/` only with a prefix.
    /// - Parameters:
    ///   - router: the router of the program's server, which must accept bodies of 1 MiB.
    ///   - prefix: the prefix of the paths there, such as `/hub`; empty for unchanged paths.
    ///   - routes: the routes to add.
    ///   - access: the clients that the program's server admits, in addition to `server.auth.*`.
    /// - Throws: `HTTPRouter.RouteExists` if the router already has one of them; in that case the router is unchanged.
    public func mount(
        on router: inout HTTPRouter,
        under prefix: String = "",
        routes: ProgramRoutes = .all,
        access: HTTPRouter.Access = .readers
    ) throws {
        try frame.mount(on: &router, under: prefix, routes: routes, access: access)
    }

    /// Applies new settings, which are validated like those of a file. Settings that need a restart keep their values.
    /// - Returns: the keys that changed, and those that need a restart.
    /// - Throws: `ReloadRejected` with all faults; in that case nothing has changed.
    @discardableResult
    public func reload(_ settings: HubSettings) async throws -> (changed: [String], waiting: [String]) {
        try await frame.reload { [isListening] in try Self.checked(settings, listens: isListening) }
    }

    /// Keeps the history, and serves if it listens, until its task is cancelled or a component fails. Then it saves the
    /// history and unlocks the data directory.
    /// - Throws: the server's error.
    public func run() async throws { try await frame.run() }
}
