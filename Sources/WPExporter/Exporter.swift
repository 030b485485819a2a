// SPDX-License-Identifier: MIT

public import WPCollector
public import WPConfig
public import WPLogging
public import WPMetrics
public import WPModel
package import WPPassword
import WPScheduler
public import WPServer
import WPService

/// The running WinPower exporter, to embed in a program of your own.
///
/// ```swift
/// let exporter = try await Exporter(settings: settings, logger: logger)
/// var router = HTTPRouter()
/// try exporter.mount(on: &router)
/// router.on(.get, "/orders", orders)
/// let server = HTTPServer(.init(port: 8080), handler: router)
/// async let serving: Void = server.run()
/// try await exporter.run()
/// ```
///
/// It installs no signal handlers, has no global state and writes nothing to standard output. One process may run several.
public final class Exporter: Sendable {
    /// What an exporter is made of, where that is not to come from its settings.
    public struct Parts: Sendable {
        /// Where readings come from; nil for the WinPower server of the settings.
        public var source: (any DeviceSource)?
        /// Where energy totals are kept; nil for the data directory of the settings.
        public var store: (any EnergyStore)?
        /// Where the families are registered, perhaps together with others of the program. Default: a registry of its own.
        public var registry: Registry
        /// The clocks.
        public var timeSource: any TimeSource
        /// Gives the number of log records that were lost so far, for the metric that shows it; nil for no metric.
        public var lostLogRecords: (@Sendable () -> Int)?
        /// What checks passwords against their hash, for all settings that follow one another.
        package var passwords = PasswordChecker()
        /// Opens the history instead of the one in the data directory; for tests.
        package var openHistory: (@Sendable () async throws -> HistoryService)?
        /// On which waiting for the history ends.
        package var clock: any Clock<Duration> = .continuous

        /// Creates parts of which all that can come from the settings does.
        public init(
            source: (any DeviceSource)? = nil,
            store: (any EnergyStore)? = nil,
            registry: Registry = Registry(),
            timeSource: any TimeSource = SystemTimeSource(),
            lostLogRecords: (@Sendable () -> Int)? = nil
        ) {
            self.source = source
            self.store = store
            self.registry = registry
            self.timeSource = timeSource
            self.lostLogRecords = lostLogRecords
        }
    }

    /// The running parts, as ``Composition`` has put them together.
    struct Assembly: Sendable {
        let collector: Collector
        let meter: any EnergyMeter
        let scheduler: any Scheduling
        let history: CycleHistory
        let reloader: SettingsReloader
        let front: HandlerSwitch
        let routes: [Endpoints.Route]
        let server: HTTPServer?
        let registry: Registry
        let logger: Logger
        /// What was read before; nil when no history is kept.
        let past: OpeningHistory?
        /// What sends readings to a hub, if there is one.
        let reporter: HubReporter
        /// The server for Network UPS Tools.
        let nut: NUTService
        let closeStore: @Sendable () async -> Void
    }

    private let assembly: Assembly

    init(_ assembly: Assembly) {
        self.assembly = assembly
    }

    /// Makes an exporter that holds its data directory and has not collected yet.
    ///
    /// The settings are checked as those of a file are: their ranges, the rules between them, and the files that they
    /// name. `winpower.*` is required unless the parts have a source. What works but should be looked at is logged.
    /// - Parameters:
    ///   - settings: what it does. `logging.*` is not used: give a logger.
    ///   - parts: what does not come from the settings.
    ///   - listens: whether ``run()`` serves HTTP as `server.*` says. Without, use ``mount(on:)`` or ``handler``.
    ///   - logger: where it logs.
    /// - Throws: `SettingsFaults` with all that is wrong with the settings; otherwise the first part's error, a sentence
    ///   for an operator: a data directory that is in use, an address that is in use.
    public convenience init(
        settings: ExporterSettings,
        parts: Parts = Parts(),
        listens: Bool = false,
        logger: Logger = .silent
    ) async throws {
        let needsServer = parts.source == nil
        let loaded = try await Blocking.run {
            try SettingsLoader(ExporterSettings.table, environment: [:])
                .check(settings, requiresAll: needsServer, examine: SettingsContents.problems)
        }
        for warning in loaded.warnings {
            logger.named(.settings).warn("Setting needs attention", ["warning": .string(warning)])
        }
        self.init(
            try await Composition.assembly(
                loaded: loaded,
                parts: parts,
                listening: listens ? .some([]) : nil,
                logger: logger,
                reloading: nil
            )
        )
    }

    package var collector: Collector { assembly.collector }
    package var reloader: SettingsReloader { assembly.reloader }
    var history: CycleHistory { assembly.history }
    /// The server of `server.*`; nil when the exporter's routes are mounted on another one.
    package var server: HTTPServer? { assembly.server }
    /// The ports of the server for Network UPS Tools, before it runs; none when it is not enabled.
    package var nutPorts: [Int] { assembly.nut.ports }
    /// Where the exporter's families are registered.
    public var registry: Registry { assembly.registry }
    private var logger: Logger { assembly.logger }

    /// What the last collections came to.
    public var snapshot: CollectionSnapshot { collector.snapshot }

    /// Answers what the exporter answers, with the access control of its settings, and 404 to all else.
    public var handler: any HTTPHandler { assembly.front }

    /// Adds the routes that the settings enable: `/metrics`, `/health`, and perhaps `/debug/` and `/-/reload`. Not `/`.
    /// - Throws: `HTTPRouter.RouteExists` when the router already has one of them; it is unchanged then. A program with a
    ///   `/metrics` or `/health` of its own mounts the exporter on another router, or serves ``handler`` itself.
    public func mount(on router: inout HTTPRouter) throws {
        for route in assembly.routes where router.hasRoute(route.method, route.path) {
            throw HTTPRouter.RouteExists(method: route.method, path: route.path)
        }
        for route in assembly.routes { router.on(route.method, route.path, name: route.name, assembly.front) }
    }

    /// Serves as `server.*` says until the task is cancelled; returns at once when there is no server. The history is
    /// opened once the server accepts connections, so that no start waits for a database.
    /// - Throws: what the server failed with.
    package func serve() async throws {
        try await server?.run { [past = assembly.past] in past?.begin() }
    }

    /// Collects, and serves if it listens, until its task is cancelled or a part fails.
    ///
    /// At the end a reading in flight is abandoned, a save in flight is finished, open requests are answered, totals that
    /// are not on disk yet are saved, and the data directory is released.
    /// - Throws: what the server failed with; or the store, if the last totals could not be saved.
    public func run() async throws {
        try await run(until: nil)
    }

    /// - Parameters:
    ///   - stop: ends the run when it returns; nil for never.
    ///   - afterCycle: is called after each cycle.
    package func run(
        until stop: (@Sendable () async -> Void)?,
        afterCycle: @escaping @Sendable (CollectionSnapshot) async -> Void = { _ in }
    ) async throws {
        defer { logger.flush() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { [self] group in
                if server != nil { group.addTask { [self] in try await serve() } }
                group.addTask { [self] in
                    await assembly.scheduler.run { [self] in
                        await history.record(collector.snapshot.generation + 1) { await collector.collect() }
                        assembly.past?.record(collector.snapshot)
                        assembly.reporter.add(collector.snapshot)
                        assembly.nut.publish(collector.snapshot)
                        await afterCycle(collector.snapshot)
                    }
                }
                group.addTask { [self] in await assembly.reporter.run() }
                group.addTask { [self] in await assembly.nut.run() }
                if let past = assembly.past { group.addTask { await past.run() } }
                if let stop { group.addTask { await stop() } }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        } catch {
            try? await finishCompletely()
            throw error
        }
        try await finishCompletely()
    }

    /// Finishes in a task of its own, since the one that runs may be cancelled.
    private func finishCompletely() async throws {
        try await Task { try await finish() }.value
    }

    /// Saves what is not on disk yet and releases the data directory.
    /// - Throws: `EnergyStoreError` when there are totals that can't be saved.
    package func finish() async throws {
        await assembly.past?.close()
        do {
            try await assembly.meter.flush()
        } catch {
            logger.error("Energy totals could not be saved", ["error": .describing("\(error)")])
            await assembly.closeStore()
            throw error
        }
        await assembly.closeStore()
    }
}
