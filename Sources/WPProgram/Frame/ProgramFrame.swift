// SPDX-License-Identifier: MIT

import WPHTTP
import WPLogging
public import WPMetrics
import WPMetricsHTTP
public import WPServer
import WPService
package import WPSettings

/// A program with the framework's services, created but not running. It installs no signal handlers, has no global
/// state and writes nothing to standard output, so that a process may embed several; the commands use it too.
public final class ProgramFrame<Program: ExporterProgram>: Sendable {
    /// The program.
    public let program: Program
    /// The program's declarations.
    public let context: ProgramContext<Program.Settings>
    /// The server; nil if the program is mounted on another server.
    package let server: HTTPServer?
    package let reloader: Reloader<Program.Settings>
    private let endpoints: ProgramEndpoints<Program.Settings>
    private let mainHandler: Latest<any HTTPHandler>
    /// The settings of the routes, and the handlers that a reload replaces.
    private let mounts: Latest<Mounts>

    private struct Mounts: Sendable {
        var settings: Program.Settings
        var handlers: [(choice: ProgramRoutes, handler: Latest<any HTTPHandler>)]
    }

    /// Creates a program from settings, which are validated like those of a file.
    /// - Parameters:
    ///   - settings: the settings. `logging.*` is ignored: `parts` has a logger.
    ///   - listens: whether ``run()`` serves according to `server.*`; otherwise use ``handler`` or
    ///     ``mount(on:under:routes:access:)``.
    ///   - parts: the dependencies.
    /// - Throws: `SettingsFaults` with all faults of the settings; otherwise the first failure.
    public convenience init(
        settings: Program.Settings,
        listens: Bool = false,
        parts: ProgramParts = ProgramParts()
    ) async throws {
        let loaded = try await Blocking.run {
            try SettingsLoader(Program.Settings.table, environment: [:]).check(settings)
        }
        try await self.init(loaded, listening: listens ? .some([]) : nil, parts: parts)
    }

    /// - Parameters:
    ///   - listening: the sockets to serve, empty to open those of the settings; nil for no server.
    ///   - reloading: the source of new settings; nil if they never change.
    ///   - make: creates the program.
    package init(
        _ loaded: LoadedSettings<Program.Settings>,
        listening: [Int32]?,
        parts: ProgramParts,
        reloading: Reloading<Program.Settings>? = nil,
        make: (ProgramContext<Program.Settings>) async throws -> Program = { try await Program($0) }
    ) async throws {
        let (description, timeSource, registry) = (Program.description, parts.timeSource, parts.registry)
        let prefix = description.metricPrefix
        let settings = loaded.settings
        try FrameMetrics.register(description, parts)
        let reloader = Reloader(
            running: loaded,
            instruments: try ReloadInstruments(registry: registry, prefix: prefix, timeSource: timeSource),
            timeSource: timeSource,
            logger: parts.logger.named("settings"),
            load: reloading?.load
        )
        let context = ProgramContext(description, loaded, parts)
        let program: Program
        do {
            program = try await make(context)
        } catch {
            try? await Self.close(context)
            throw error
        }
        let declared = context.declared
        let mainHandler = Latest<any HTTPHandler>(ClosureHTTPHandler { _ in HTTPResponse(status: .serviceUnavailable) })
        do {
            let requests = try RequestMetrics(
                registry: registry,
                prefix: prefix,
                routes: declared.requestRoutes,
                errorRoutes: ["metrics"]
            )
            var server: HTTPServer?
            if listening != nil {
                let tls = try await Blocking.run { try settings.server.tls.context(logger: parts.logger) }
                // Uses the system clock: its peers are real, and a stopped clock would prevent its shutdown.
                let made = HTTPServer(
                    Self.configuration(settings, declared, tls),
                    handler: mainHandler,
                    logger: parts.logger.named("server"),
                    observer: requests.observe,
                    problems: ErrorReply.renderer(timeSource)
                )
                try registry.register(ServingMetrics.collector(prefix: prefix) { made.statistics })
                server = made
            }
            let endpoints = ProgramEndpoints(context, declared, reloader: reloader, server: server)
            mainHandler.value = try await Blocking.run { try endpoints.handler(settings, .all) }
            self.endpoints = endpoints
            self.server = server
            if let server, let listening {
                try await Blocking.run {
                    InheritedSockets.check(listening, settings.server, logger: parts.logger.named("server"))
                    try server.bind(to: listening)
                }
            }
        } catch {
            try? await Self.close(context)
            throw error
        }
        (self.program, self.context, self.reloader, self.mainHandler) = (program, context, reloader, mainHandler)
        mounts = Latest(Mounts(settings: settings, handlers: [(.all, mainHandler)]))
        await reloader.use(declared.steps + frameSteps(declared) + (reloading?.steps ?? []))
    }

    private static func configuration(
        _ settings: Program.Settings,
        _ declared: ProgramContext<Program.Settings>.Declarations,
        _ tls: (any TLSContextSource)?
    ) -> HTTPServer.Configuration {
        var server = settings.server
        server.maxBodyBytes = max(server.maxBodyBytes, declared.minimumBodyBytes)
        return HTTPServer.Configuration(server, tls: tls, gracefulTimeout: settings.shutdownTimeout)
    }

    /// Applies new settings to the framework: access control, routes, server limits and certificate.
    private func frameSteps(
        _ declared: ProgramContext<Program.Settings>.Declarations
    ) -> [ReloadPart<Program.Settings>] {
        let routes = ReloadPart<Program.Settings>(reading: { [endpoints, mounts] new, _ in
            let handlers = try mounts.value.handlers.map { mounted, handler in
                (handler, try endpoints.handler(new, mounted))
            }
            return {
                mounts.update { $0.settings = new }
                for (handler, current) in handlers { handler.value = current }
            }
        })
        guard let server else { return [routes] }
        let limits = ReloadPart<Program.Settings>(reading: { [logger = context.logger] new, running in
            let isSame = new.server.tls == running.server.tls
            let tls = isSame ? server.configuration.tls : try new.server.tls.context(logger: logger)
            let configuration = Self.configuration(new, declared, tls)
            try configuration.validate()
            // lint: validated above
            return { try? server.update(configuration) }
        })
        return [routes, limits]
    }

    // MARK: Embedding

    /// Handles the program's requests with its access control; responds with 404 to any other path.
    public var handler: any HTTPHandler { mainHandler }

    /// The registry of its metrics.
    public var registry: Registry { context.registry }

    /// Adds the program's routes to a router.
    ///
    /// Without a prefix, these are the routes that the settings enable now. Under a prefix, a reload can add routes.
    /// - Parameters:
    ///   - router: the router of another server.
    ///   - prefix: the prefix of their paths there, such as `/ups`; empty for unchanged paths, without `/`.
    ///   - choice: the routes to add.
    ///   - access: the clients that the other server admits, in addition to the program's access control.
    /// - Throws: `HTTPRouter.RouteExists` if the router has one of them already; in that case the router is unchanged.
    public func mount(
        on router: inout HTTPRouter,
        under prefix: String = "",
        routes choice: ProgramRoutes = .all,
        access: HTTPRouter.Access = .readers
    ) throws {
        guard prefix.isEmpty || !router.isMounted(prefix + "/") else {
            throw HTTPRouter.RouteExists(method: .get, path: prefix + "/")
        }
        let settings = mounts.value.settings
        let handler = Latest(try endpoints.handler(settings, choice))
        if prefix.isEmpty {
            let own = try endpoints.router(settings, choice.subtracting(.landing))
            for route in own.routes where router.hasRoute(route.method, route.path) {
                throw HTTPRouter.RouteExists(method: route.method, path: route.path)
            }
            for route in own.routes { router.on(route.method, route.path, name: route.name, access: access, handler) }
            for (method, prefix, name) in own.prefixRoutes {
                if let method {
                    router.onPrefix(method, prefix, name: name, access: access, handler)
                } else {
                    router.mount(prefix, name: name, access: access, handler)
                }
            }
        } else {
            let subtree = HTTPSubtree(prefix: prefix, handler: handler)
            router.mount(prefix + "/", name: Program.description.name, access: access, subtree)
        }
        mounts.update { $0.handlers.append((choice, handler)) }
    }

    /// Applies new settings, which are validated like those of a file. Settings that need a restart keep their values.
    /// - Returns: the keys that changed, and those that need a restart.
    /// - Throws: ``ReloadRejected`` with all faults; in that case nothing has changed.
    @discardableResult
    public func reload(_ settings: Program.Settings) async throws -> (changed: [String], waiting: [String]) {
        try await reload { try SettingsLoader(Program.Settings.table, environment: [:]).check(settings) }
    }

    /// - Parameter check: returns the validated settings; may block.
    package func reload(
        _ check: @escaping @Sendable () throws -> LoadedSettings<Program.Settings>
    ) async throws -> (changed: [String], waiting: [String]) {
        let outcome = await reloader.reload(.program, check)
        switch outcome {
        case .applied(let changed, let waiting, _): return (changed, waiting)
        case .rejected(let faults): throw ReloadRejected(faults: faults)
        }
    }

    // MARK: Running

    /// Runs all components, and the server if it listens, until its task is cancelled or one of them ends. Then
    /// components are cancelled, open requests are completed, and the `atEnd` actions run.
    /// - Throws: the failure of a component, of the server or of an `atEnd` action.
    public func run() async throws {
        try await run(until: nil)
    }

    /// - Parameter stop: stops the program when it returns; nil for never.
    package func run(until stop: (@Sendable () async -> Void)?) async throws {
        let declared = context.declared
        defer { context.logger.flush() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { [self] group in
                for component in declared.components { group.addTask { try await Self.run(component) } }
                group.addTask { [self] in try await serve(declared) }
                if let stop { group.addTask { await stop() } }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        } catch {
            try? await Self.close(context)
            throw error
        }
        try await Self.close(context)
    }

    /// Serves, or only waits if there is no server, until the task is cancelled.
    package func serve() async throws { try await serve(context.declared) }

    private func serve(_ declared: ProgramContext<Program.Settings>.Declarations) async throws {
        for condition in declared.conditions { await condition() }
        guard !Task.isCancelled else { return }
        guard let server else {
            for begin in declared.onListening { begin() }
            return await Self.cancellation()
        }
        try await server.run {
            for begin in declared.onListening { begin() }
        }
    }

    private static func run(_ component: ProgramContext<Program.Settings>.Component) async throws {
        do {
            try await component.run()
        } catch is CancellationError where Task.isCancelled {
            // A stop was requested.
        }
    }

    private static func cancellation() async {
        let (never, end) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        end.finish()
    }

    /// Runs the `atEnd` actions in a new task, because the current one may be cancelled.
    package func close() async throws { try await Self.close(context) }

    private static func close(_ context: ProgramContext<Program.Settings>) async throws {
        try await Task {
            var failure: (any Error)?
            for close in context.declared.closing.reversed() {
                do {
                    try await close()
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }.value
    }
}

/// Settings that a running program rejected.
public struct ReloadRejected: Error, Sendable, CustomStringConvertible {
    /// The faults, one sentence each.
    public let faults: [String]

    /// One line per fault.
    public var description: String { faults.joined(separator: "\n") }
}
