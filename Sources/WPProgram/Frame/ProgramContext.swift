// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPHTTP
public import WPLogging
public import WPMetrics
import WPScheduler
public import WPServer
public import WPSettings

/// The dependencies that the framework provides to a program, and the declarations of its components.
///
/// Everything is declared in the program's initializer. The framework then serves, runs the components until it is
/// stopped, and applies reloads to every declaration.
public final class ProgramContext<Settings: ProgramSettings>: Sendable {
    struct Component: Sendable {
        let name: String
        let run: @Sendable () async throws -> Void
    }

    struct Declarations: Sendable {
        var components: [Component] = []
        var health: [(name: String, check: @Sendable () -> HealthPart?)] = []
        var debug: [(name: String, table: @Sendable () -> DebugTable)] = []
        var steps: [ReloadPart<Settings>] = []
        var routes: [@Sendable (Settings, inout HTTPRouter) throws -> Void] = []
        var wrappers: [@Sendable (Settings, any HTTPHandler) throws -> any HTTPHandler] = []
        var requestRoutes: [String] = ["metrics", "health"]
        var conditions: [@Sendable () async -> Void] = []
        var onListening: [@Sendable () -> Void] = []
        var closing: [@Sendable () async throws -> Void] = []
        var logFields = LogFields()
        var minimumBodyBytes = 0
    }

    /// The program's names and version.
    public let description: ProgramDescription
    /// The initial settings, and where each came from.
    public let loaded: LoadedSettings<Settings>
    /// The registry of its metrics.
    public let registry: Registry
    /// The logger, configured by `logging.*`.
    public let logger: Logger
    /// The clock.
    public let timeSource: any TimeSource
    /// Checks passwords against their hashes; shared by successive settings.
    package let passwords: PasswordChecker
    /// The program that embeds this one; nil for none.
    private let host: HostProgram?
    private let declarations = Mutex(Declarations())

    init(
        _ description: ProgramDescription,
        _ loaded: LoadedSettings<Settings>,
        _ parts: ProgramParts
    ) {
        self.description = description
        self.loaded = loaded
        registry = parts.registry
        logger = parts.logger
        timeSource = parts.timeSource
        passwords = parts.passwords
        host = parts.host
    }

    /// The value of `User-Agent` in requests of this program: the embedding program, if there is one, then its own
    /// product.
    package func userAgent(_ product: String) -> String {
        (host.map { "\($0.name)/\($0.version) " } ?? "") + "\(product)/\(description.version)"
    }

    /// The initial settings.
    public var settings: Settings { loaded.settings }

    // MARK: Work

    /// Runs a task until the program ends. It ends when its task is cancelled; if it returns or throws earlier, the
    /// program ends.
    public func component(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
        declarations.withLock { $0.components.append(Component(name: name, run: run)) }
    }

    /// Runs work immediately and then at an interval, which a reload may change. Runs never overlap. A series of
    /// failures is logged once, and makes the program's health degraded until a run succeeds.
    /// - Parameters:
    ///   - interval: the setting for the interval.
    ///   - name: the name in logs and `/health`.
    ///   - work: receives the current settings.
    public func every(
        _ interval: any KeyPath<Settings, Duration> & Sendable,
        _ name: String = "collection",
        _ work: @escaping @Sendable (Settings) async throws -> Void
    ) {
        let ticker = Ticker(
            interval: settings[keyPath: interval],
            timeSource: timeSource,
            logger: logger.named("scheduler")
        )
        let current = Latest(settings)
        let failure = Latest<String?>(nil)
        onReload { new in
            ticker.change(interval: new[keyPath: interval])
            current.value = new
        }
        health(name) { failure.value.map { .degraded(name, ["error": $0]) } ?? .ok }
        component(name) { [logger] in
            await ticker.run {
                do {
                    try await work(current.value)
                    if failure.value != nil { logger.info("Work succeeds again", ["work": .string(name)]) }
                    failure.value = nil
                } catch {
                    if failure.value == nil, !Task.isCancelled {
                        logger.error("Work failed", ["work": .string(name), "error": .describing(error)])
                    }
                    failure.value = "\(error)"
                }
            }
        }
    }

    /// Runs a cleanup action, such as saving, after the server and all components have stopped. Actions run in reverse
    /// order of declaration, even if the start fails.
    public func atEnd(_ close: @escaping @Sendable () async throws -> Void) {
        declarations.withLock { $0.closing.append(close) }
    }

    /// Delays serving until this returns. Components run in the meantime.
    package func beforeServing(_ condition: @escaping @Sendable () async -> Void) {
        declarations.withLock { $0.conditions.append(condition) }
    }

    /// Runs an action, which must not block, once the server accepts connections.
    package func onListening(_ begin: @escaping @Sendable () -> Void) {
        declarations.withLock { $0.onListening.append(begin) }
    }

    /// Adds fields to the log record of the start.
    package func logFields(_ fields: LogFields) {
        declarations.withLock { declared in
            for field in fields.all { declared.logFields.append(field.key, field.value) }
        }
    }

    // MARK: State

    /// Adds a member to `/health`, which is degraded if any member is.
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - check: returns the state, and must not block; nil for no member.
    public func health(_ name: String, _ check: @escaping @Sendable () -> HealthPart?) {
        declarations.withLock { $0.health.append((name, check)) }
    }

    /// Adds a member to `/health` under the name of the program.
    /// - Parameter check: returns the state, and must not block; nil for no member.
    public func health(_ check: @escaping @Sendable () -> HealthPart?) { health(description.name, check) }

    /// Adds a table to `/debug/`, and to the `parts` of `/debug/state.json`.
    public func debug(_ name: String, _ table: @escaping @Sendable () -> DebugTable) {
        declarations.withLock { $0.debug.append((name, table)) }
    }

    // MARK: Settings

    /// Applies new settings after a reload that no component rejected. Cannot fail.
    public func onReload(_ commit: @escaping @Sendable (_ new: Settings) async -> Void) {
        onReload(ReloadPart(commit: commit))
    }

    /// Applies new settings in two steps: prepares them, which may fail and changes nothing, and commits them once all
    /// components have prepared theirs.
    public func onReload(
        prepare:
            @escaping @Sendable (_ new: Settings, _ running: Settings) async throws
            -> @Sendable () async -> Void
    ) {
        onReload(ReloadPart(prepare: prepare))
    }

    package func onReload(_ part: ReloadPart<Settings>) {
        declarations.withLock { $0.steps.append(part) }
    }

    // MARK: Routes

    /// Handles a method of one path. `access` determines the permitted clients: by default, those that `server.auth.*`
    /// admits.
    public func route(
        _ method: HTTPMethod,
        _ path: String,
        name: String? = nil,
        access: HTTPRouter.Access = .readers,
        _ handler: any HTTPHandler
    ) {
        routes(counting: [name ?? path]) { _, router in
            router.on(method, path, name: name, access: access, handler)
        }
    }

    /// Handles a method of one path.
    public func route(
        _ method: HTTPMethod,
        _ path: String,
        name: String? = nil,
        access: HTTPRouter.Access = .readers,
        _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        route(method, path, name: name, access: access, ClosureHTTPHandler(answer))
    }

    /// Handles all requests whose path has a prefix, which begins and ends with a slash.
    public func route(
        prefix: String,
        name: String? = nil,
        access: HTTPRouter.Access = .readers,
        _ handler: any HTTPHandler
    ) {
        routes(counting: [name ?? prefix]) { _, router in
            router.mount(prefix, name: name, access: access, handler)
        }
    }

    /// Adds routes that depend on settings. Called at the start and on each reload, after the framework has added its
    /// own routes; may read files.
    /// - Parameters:
    ///   - names: names of routes whose request metrics exist from the start.
    ///   - add: adds the routes to the router.
    public func routes(
        counting names: [String] = [],
        _ add: @escaping @Sendable (_ settings: Settings, _ router: inout HTTPRouter) throws -> Void
    ) {
        declarations.withLock { declared in
            declared.requestRoutes += names.filter { !declared.requestRoutes.contains($0) }
            declared.routes.append(add)
        }
    }

    /// Wraps the router in a handler, such as one that rejects cross-site requests.
    package func wrapRouter(
        _ wrap: @escaping @Sendable (_ settings: Settings, _ router: any HTTPHandler) throws -> any HTTPHandler
    ) {
        declarations.withLock { $0.wrappers.append(wrap) }
    }

    /// Lets the server accept bodies of this size, regardless of `server.max_body_bytes`.
    package func acceptsBodies(ofBytes count: Int) {
        declarations.withLock { $0.minimumBodyBytes = max($0.minimumBodyBytes, count) }
    }

    /// The framework's page at `/`, for a program that replaces it conditionally.
    package func landingPage(_ settings: Settings) -> HTTPResponse {
        LandingPage.response(description, hasDebugPage: settings.server.enablePprof)
    }

    var declared: Declarations { declarations.withLock { $0 } }
}

/// The dependencies of a program that its embedder or the command supplies.
public struct ProgramParts: Sendable {
    /// The registry of metrics, which may be shared.
    public var registry: Registry
    /// The logger.
    public var logger: Logger
    /// The clock.
    public var timeSource: any TimeSource
    /// The program that embeds this one, for its build info and the `User-Agent` of requests; nil for none.
    public var host: HostProgram?
    /// Returns the number of lost log records, for the metric; nil for no metric.
    public var lostLogRecords: (@Sendable () -> Int)?
    package var passwords = PasswordChecker()

    /// Creates dependencies: by default a new registry, no log, and the system clock.
    public init(
        registry: Registry = Registry(),
        logger: Logger = .silent,
        timeSource: any TimeSource = SystemTimeSource(),
        host: HostProgram? = nil
    ) {
        (self.registry, self.logger, self.timeSource, self.host) = (registry, logger, timeSource, host)
    }
}
