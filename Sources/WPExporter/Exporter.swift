// SPDX-License-Identifier: MIT

public import WPCollector
public import WPConfig
package import WPFleet
import WPLogging
public import WPMetrics
public import WPModel
public import WPProgram
public import WPServer
import WPService
package import WPSettings

/// The WinPower exporter, for embedding in another program.
///
/// ```swift
/// let exporter = try await Exporter(settings: settings)
/// var router = HTTPRouter()
/// try exporter.mount(on: &router)
/// router.on(.get, "/orders", orders)
/// let server = HTTPServer(.init(port: 8080), handler: router)
/// async let serving: Void = server.run()
/// try await exporter.run()
/// ```
///
/// It installs no signal handlers, has no global state and writes nothing to standard output. One process may run
/// several.
public final class Exporter: Sendable {
    /// The dependencies of an exporter that replace those from its settings.
    public struct Parts: Sendable {
        /// The source of readings; nil for the WinPower server in the settings.
        public var source: (any DeviceSource)?
        /// The store of energy totals; nil for the data directory in the settings.
        public var store: (any EnergyStore)?
        /// The registry of metrics, the logger, the clock, and the program that embeds the exporter.
        public var program: ProgramParts
        /// Opens the history instead of the one in the data directory; for tests.
        package var openHistory: (@Sendable () async throws -> HistoryService)?

        /// Creates dependencies that by default come from the settings.
        public init(
            source: (any DeviceSource)? = nil,
            store: (any EnergyStore)? = nil,
            program: ProgramParts = ProgramParts()
        ) {
            (self.source, self.store, self.program) = (source, store, program)
        }
    }

    private let frame: ProgramFrame<ServerProgram>
    /// Whether the readings come from the WinPower server in the settings.
    private let needsServer: Bool

    /// Creates an exporter that holds the lock on its data directory and has not collected yet.
    ///
    /// The settings are validated like those of a file: ranges, rules, and the files they name. `winpower.*` is
    /// required unless `parts` has a source. Warnings are logged.
    /// - Parameters:
    ///   - settings: the settings. `logging.*` is ignored: `parts` has a logger.
    ///   - parts: the dependencies that do not come from the settings.
    ///   - listens: whether ``run()`` serves HTTP according to `server.*`. Otherwise use
    ///     ``mount(on:under:routes:access:)`` or ``handler``.
    ///   - keepsHistory: whether it keeps a history in the data directory or at `history.url`, and serves its API and
    ///     page. It needs the data directory, so `parts` must not have a store.
    /// - Throws: `SettingsFaults` with all faults of the settings; otherwise the first component's error, for example
    ///   that the data directory or an address is in use.
    public convenience init(
        settings: ExporterSettings,
        parts: Parts = Parts(),
        listens: Bool = false,
        keepsHistory: Bool = false
    ) async throws {
        let needsServer = parts.source == nil
        let loaded = try await Blocking.run { try Self.checked(settings, needsServer: needsServer) }
        for warning in loaded.warnings {
            parts.program.logger.named("settings").warn("Setting needs attention", ["warning": .string(warning)])
        }
        try await self.init(
            loaded: loaded,
            parts: parts,
            listening: listens ? .some([]) : nil,
            keepsHistory: keepsHistory
        )
    }

    /// - Parameters:
    ///   - listening: the descriptors of the listening sockets; empty to open those in the settings, nil for no server.
    ///   - keepsHistory: whether to keep a history; nil for the value of `history.enabled`.
    ///   - reloading: the source of new settings; nil if they never change.
    package init(
        loaded: LoadedSettings<ExporterSettings>,
        parts: Parts = Parts(),
        listening: [Int32]? = .some([]),
        keepsHistory: Bool? = nil,
        reloading: Reloading<ExporterSettings>? = nil
    ) async throws {
        needsServer = parts.source == nil
        frame = try await ProgramFrame(
            loaded,
            listening: listening,
            parts: parts.program,
            reloading: reloading
        ) { context in
            try await ServerProgram(
                context,
                parts,
                keepsHistory: keepsHistory ?? context.settings.history.enabled
            )
        }
    }

    private static func checked(
        _ settings: ExporterSettings,
        needsServer: Bool
    ) throws -> LoadedSettings<ExporterSettings> {
        try SettingsLoader(ExporterSettings.table, environment: [:])
            .check(settings, requiresAll: needsServer, examine: SettingsContents.problems)
    }

    package var collector: Collector { frame.program.collector }
    package var reloader: SettingsReloader { frame.reloader }
    var history: CycleHistory { frame.program.cycles }
    /// The server of `server.*`; nil if the exporter's routes are mounted on another one.
    package var server: HTTPServer? { frame.server }
    /// The ports of the NUT server; empty once it runs, or if it is disabled.
    package var nutPorts: [Int] { frame.program.nut.ports }
    /// The registry of the exporter's metrics.
    public var registry: Registry { frame.registry }

    /// The state after the last collection.
    public var snapshot: CollectionSnapshot { collector.snapshot }

    /// Runs one cycle and returns its result: polls the devices, meters their energy, and passes the readings to the
    /// history, the hub and the NUT server. ``run()`` does so at the configured interval; call this instead to control
    /// the schedule, but not concurrently with itself or with ``run()``.
    @discardableResult
    public func collect() async -> CollectionSnapshot {
        await frame.program.cycle()
        return collector.snapshot
    }

    /// Handles the exporter's requests with its access control; responds with 404 to any other path.
    public var handler: any HTTPHandler { frame.handler }

    /// Adds the enabled routes: `/metrics`, `/health`, and optionally `/debug/` and `/-/reload`. `/` is included only
    /// with a prefix.
    /// - Parameters:
    ///   - router: the router of the program's server.
    ///   - prefix: the prefix of the paths on that router, such as `/ups`; empty for unchanged paths.
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
    public func reload(_ settings: ExporterSettings) async throws -> (changed: [String], waiting: [String]) {
        try await frame.reload { [needsServer] in try Self.checked(settings, needsServer: needsServer) }
    }

    /// Serves according to `server.*` until the task is cancelled.
    /// - Throws: the server's error.
    package func serve() async throws { try await frame.serve() }

    /// Collects, and serves if it listens, until its task is cancelled or a component fails.
    ///
    /// On shutdown, a reading in progress is cancelled, a save in progress completes, open requests are completed,
    /// unsaved totals are saved, and the data directory is unlocked.
    /// - Throws: the server's error, or the store's if the last totals could not be saved.
    public func run() async throws { try await frame.run() }

    /// - Parameters:
    ///   - stop: the exporter stops when this function returns; nil to run until the task is cancelled.
    ///   - afterCycle: called after each cycle.
    package func run(
        until stop: (@Sendable () async -> Void)?,
        afterCycle: @escaping @Sendable (CollectionSnapshot) async -> Void = { _ in }
    ) async throws {
        frame.program.afterCycle.value = afterCycle
        try await frame.run(until: stop)
    }

    /// Saves unsaved totals and unlocks the data directory.
    /// - Throws: `EnergyStoreError` if totals could not be saved.
    package func finish() async throws { try await frame.close() }
}
