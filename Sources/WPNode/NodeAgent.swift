// SPDX-License-Identifier: MIT

public import WPHost
import WPLogging
public import WPMetrics
public import WPProgram
public import WPServer
import WPService
package import WPSettings

/// The node agent, for embedding in another program: samples this machine, serves the sample under node_exporter's
/// names, and pushes it to a hub.
///
/// ```swift
/// var settings = NodeSettings()
/// settings.node.hub = try HubAddress("https://hub.example.com:8082")
/// try await NodeAgent(settings: settings, listens: true).run()
/// ```
///
/// It installs no signal handlers, has no global state and writes nothing to standard output.
public final class NodeAgent: Sendable {
    private let frame: ProgramFrame<NodeProgram>

    /// Creates an agent that has not sampled yet.
    ///
    /// The settings are validated like those of a file: ranges, rules, and the files they name. Warnings are logged.
    /// - Parameters:
    ///   - settings: the settings. `logging.*` is ignored: `parts` contains the logger.
    ///   - listens: whether ``run()`` serves HTTP according to `server.*`; otherwise use ``handler`` or
    ///     ``mount(on:under:routes:access:)``.
    ///   - parts: its registry, logger and clock, and the embedding program.
    ///   - collectors: your own collectors by name, each sampled at `collect.interval` in the background, with its
    ///     result in `node_scrape_collector_success`, in `/health` and in the log. A name must differ from those of the
    ///     agent's collectors.
    /// - Throws: `SettingsFaults` with all faults of the settings; otherwise the first failure, such as an address that
    ///   is in use.
    public convenience init(
        settings: NodeSettings,
        listens: Bool = false,
        parts: ProgramParts = ProgramParts(),
        collectors: [String: any MetricCollector] = [:]
    ) async throws {
        let loaded = try await Blocking.run { try Self.checked(settings) }
        for warning in loaded.warnings {
            parts.logger.named("settings").warn("Setting needs attention", ["warning": .string(warning)])
        }
        try await self.init(loaded: loaded, listening: listens ? .some([]) : nil, parts: parts, collectors: collectors)
    }

    /// - Parameters:
    ///   - listening: the sockets to serve, empty to open those of the settings; nil for no server.
    ///   - reloading: the source of new settings; nil if they never change.
    package init(
        loaded: LoadedSettings<NodeSettings>,
        listening: [Int32]?,
        parts: ProgramParts = ProgramParts(),
        collectors: [String: any MetricCollector] = [:],
        reloading: Reloading<NodeSettings>? = nil
    ) async throws {
        frame = try await ProgramFrame(loaded, listening: listening, parts: parts, reloading: reloading) { context in
            try NodeProgram(context, collectors: collectors)
        }
    }

    private static func checked(_ settings: NodeSettings) throws -> LoadedSettings<NodeSettings> {
        try SettingsLoader(NodeSettings.table, environment: [:]).check(settings, examine: NodeSettings.problems)
    }

    /// The registry of the agent's metrics.
    public var registry: Registry { frame.registry }
    /// Samples the machine.
    public var sampler: HostSampler { frame.program.sampler }
    /// Handles the agent's requests with its access control; responds with 404 to any other path.
    public var handler: any HTTPHandler { frame.handler }
    /// The server; nil if the handler is mounted elsewhere.
    package var server: HTTPServer? { frame.server }
    package var reloader: Reloader<NodeSettings> { frame.reloader }

    /// Adds `/metrics`, `/health` and other enabled routes to a router; `/` only with a prefix.
    /// - Parameters:
    ///   - router: the router of the program's server.
    ///   - prefix: the prefix of the paths there, such as `/node`; empty for unchanged paths.
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
    public func reload(_ settings: NodeSettings) async throws -> (changed: [String], waiting: [String]) {
        try await frame.reload { try Self.checked(settings) }
    }

    /// Samples, serves and pushes until its task is cancelled or the server fails. Serves nothing before the first
    /// sample, so that no scrape sees a machine without values.
    /// - Throws: the server's error.
    public func run() async throws { try await frame.run() }
}
