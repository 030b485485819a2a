// SPDX-License-Identifier: MIT

package import WPConfig
package import WPExporter
import WPHTTP
public import WPHost
import WPHubClient
public import WPLogging
public import WPMetrics
import WPMetricsHTTP
package import WPModel
import WPNode
import WPPassword
public import WPServer
import WPService

/// The agent of a node: samples this machine, serves the sample under node_exporter's names, and pushes it to a hub.
///
/// ```swift
/// var settings = NodeSettings()
/// settings.node.hub = try HubAddress("https://hub.example.com:8082")
/// try await NodeAgent(settings: settings).run()
/// ```
///
/// It installs no signal handlers, has no global state and writes nothing to standard output.
public final class NodeAgent: Sendable {
    /// Which build runs, for `/health`, the metrics and the User-Agent.
    package struct Build: Sendable {
        package var version: String
        package var revision: String
        package var swift: String

        package init(version: String, revision: String = "", swift: String = "") {
            (self.version, self.revision, self.swift) = (version, revision, swift)
        }
    }

    /// How the running agent gets other settings.
    package struct Reloading: Sendable {
        /// The settings in effect.
        package var running: LoadedSettings<NodeSettings>
        /// Loads them from all layers; it may block.
        package var load: @Sendable () throws -> LoadedSettings<NodeSettings>
        /// How parts outside of the agent take them, such as the log.
        package var steps: [ReloadPart<NodeSettings>]

        package init(
            running: LoadedSettings<NodeSettings>,
            steps: [ReloadPart<NodeSettings>] = [],
            load: @escaping @Sendable () throws -> LoadedSettings<NodeSettings>
        ) {
            (self.running, self.steps, self.load) = (running, steps, load)
        }
    }

    /// Where the agent's families are registered.
    public let registry: Registry
    /// Samples the machine.
    public let sampler: HostSampler
    /// Answers `/metrics` and `/health`, and 404 to all else.
    public var handler: any HTTPHandler { front }
    /// What listens; nil when the handler is mounted elsewhere.
    package let server: HTTPServer?
    private let reloader: Reloader<NodeSettings>?
    private let front: HandlerSwitch
    private let steps: [ReloadPart<NodeSettings>]
    private let sender: HubSender?
    private let settings: NodeSettings
    private let log: CollectorLog
    private let logger: Logger

    /// Makes an agent that listens and has not sampled yet.
    ///
    /// The settings are checked as those of a file are: their ranges, the rules between them, and the files that they
    /// name. It blocks while it reads these. What works but should be looked at is logged.
    /// - Parameters:
    ///   - settings: what it does. `logging.*` is not used: give a logger.
    ///   - listens: whether ``run()`` serves HTTP as `server.*` says; without, use ``handler``.
    ///   - logger: where it logs.
    /// - Throws: `SettingsFaults` with all that is wrong with the settings; otherwise a sentence for an operator, such as
    ///   of an address that is in use.
    public convenience init(settings: NodeSettings, listens: Bool = true, logger: Logger = .silent) throws {
        let loaded = try SettingsLoader(NodeSettings.table, environment: [:])
            .check(settings, examine: NodeSettings.problems)
        for warning in loaded.warnings {
            logger.named("settings").warn("Setting needs attention", ["warning": .string(warning)])
        }
        try self.init(
            settings: loaded.settings,
            build: Build(version: ""),
            listening: listens ? .some([]) : nil,
            logger: logger
        )
    }

    /// - Parameters:
    ///   - listening: the sockets to serve, none for those of the settings; nil for no server.
    ///   - reloading: where other settings come from later; nil for those that stay.
    package init(
        settings: NodeSettings,
        build: Build,
        listening: [Int32]?,
        logger: Logger,
        timeSource: any TimeSource = SystemTimeSource(),
        reloading: Reloading? = nil
    ) throws {
        self.settings = settings
        self.logger = logger
        let registry = Registry()
        let sampler = HostSampler(HostConfiguration(settings))
        (self.registry, self.sampler) = (registry, sampler)
        let log = CollectorLog(logger.named("collector"))
        self.log = log
        try registry.register(
            NodeMetricsCollector(reserved: { [weak registry] in registry?.declaredNames ?? [] }, onTextFault: log.take)
            {
                sampler.current
            }
        )
        try registry.register(ProcessCollector())
        // What dashboards for node_exporter look for.
        for program in ["node_exporter", "winpower_node"] {
            try registry.register(
                BuildInfoCollector(
                    program: program,
                    version: build.version,
                    revision: build.revision,
                    swiftVersion: build.swift
                )
            )
        }
        var push: (@Sendable () -> HubSender.Status)?
        var tokenStep = ReloadPart<NodeSettings> { _ in }
        if let hub = settings.node.hub {
            let target = try HubTarget(settings.node, hub, build)
            let sender = HubSender(settings.node, target, logger.named("push"))
            try sender.register(in: registry, as: .snapshots)
            push = { sender.status }
            tokenStep = ReloadPart { new in sender.replace(with: target.with(new.node.tokenSource)) }
            self.sender = sender
        } else {
            sender = nil
        }
        let name = settings.node.name
        let health = NodeHealth(
            version: build.version,
            node: { name ?? sampler.current.hostName ?? "" },
            sample: { sampler.current },
            interval: settings.collect.longestInterval,
            push: push,
            timeSource: timeSource,
            started: timeSource.now
        )
        let metrics = NodeScrape(
            sampler: sampler,
            collectors: settings.collectors.enabled,
            metrics: MetricsHandler(registry, logger: logger.named("http")),
            logger: logger.named("http")
        )
        let passwords = PasswordChecker()
        let endpoints = { @Sendable (auth: ServerAuthSettings) throws -> HTTPRouter in
            var router = HTTPRouter()
            router.on(.get, "/metrics", name: "metrics", metrics)
            router.on(.get, "/health", name: "health", health)
            router.on(.get, "/", name: "landing") { _ in .text(Self.landing) }
            router.accessControl = try AccessControl.make(
                auth,
                realm: "node agent",
                passwords: passwords,
                timeSource: timeSource,
                logger: logger.named("http")
            )
            return router
        }
        let front = HandlerSwitch()
        front.replace(with: try endpoints(settings.server.auth))
        self.front = front
        reloader = try reloading.map { reloading in
            Reloader(
                running: reloading.running,
                instruments: try ReloadInstruments(registry: registry, prefix: "winpower_node", timeSource: timeSource),
                timeSource: timeSource,
                logger: logger.named("settings"),
                load: reloading.load
            )
        }
        var steps = [
            ReloadPart<NodeSettings>(reading: { new, _ in
                let router = try endpoints(new.server.auth)
                return { front.replace(with: router) }
            }),
            tokenStep,
        ]
        guard let listening else {
            server = nil
            self.steps = steps + (reloading?.steps ?? [])
            return
        }
        let requests = try RequestMetrics(registry: registry, prefix: "winpower_node", routes: ["metrics", "health"])
        let server = HTTPServer(
            HTTPServer.Configuration(
                settings.server,
                tls: try Composition.tlsContext(settings.server.tls, logger: logger)
            ),
            handler: front,
            logger: logger.named("server"),
            observer: requests.observe
        )
        try server.bind(to: listening)
        self.server = server
        steps.append(Self.step(server, logger))
        self.steps = steps + (reloading?.steps ?? [])
    }

    /// Loads the settings again and takes what needs no restart.
    /// - Returns: the result; nil for an agent whose settings stay.
    @discardableResult
    package func reload() async -> ReloadOutcome? {
        guard let reloader else { return nil }
        await reloader.use(steps)
        return await reloader.reload(.signal)
    }

    /// Limits and certificate of the server; a certificate whose file changes is read again without this.
    private static func step(_ server: HTTPServer, _ logger: Logger) -> ReloadPart<NodeSettings> {
        ReloadPart(reading: { new, running in
            let isSame = new.server.tls == running.server.tls
            let tls =
                isSame ? server.configuration.tls : try Composition.tlsContext(new.server.tls, logger: logger)
            let configuration = HTTPServer.Configuration(new.server, tls: tls)
            try configuration.validate()
            return { try? server.update(configuration) }
        })
    }

    private static let landing = "wpexporter node: /metrics for Prometheus, /health for monitors\n"

    /// Samples, serves and pushes until its task is cancelled or the server fails. Nothing is served before the first
    /// sample, so that no scrape sees a machine without values.
    /// - Throws: what the server failed with.
    public func run() async throws {
        defer { logger.flush() }
        let (first, sampled) = AsyncStream<Void>.makeStream()
        let collect = settings.collect
        try await withThrowingTaskGroup(of: Void.self) { [self] group in
            group.addTask { [self] in
                await sampler.run(
                    cpu: collect.cpuInterval,
                    processes: collect.processInterval,
                    system: collect.interval
                ) { [log] _, sample in
                    log.take(sample)
                    if sample.isComplete { sampled.finish() }
                }
            }
            for await _ in first {}
            guard !Task.isCancelled else { return }
            if let server { group.addTask { try await server.run() } }
            if let sender {
                group.addTask { await sender.run() }
                group.addTask { [self] in await feed(sender) }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Gives the sender a snapshot per interval. Its usages and rates are of the whole interval, so that what a hub makes
    /// of them leaves out nothing.
    private func feed(_ sender: HubSender) async {
        let interval = settings.node.pushInterval
        var earlier = sampler.current
        var due = ContinuousClock.now
        repeat {
            let sample = sampler.current
            let snapshot = NodeSnapshot(sample, nodeName: settings.node.name, since: earlier)
            // Finite numbers and texts, which the encoder never refuses.
            if let body = try? JSONDocument.bytes(snapshot) { sender.add(body) }
            earlier = sample
            due = max(due + interval, .now)
        } while (try? await ContinuousClock().sleep(until: due)) != nil
    }
}

extension HostSample {
    /// Whether each group was sampled.
    var isComplete: Bool { HostSampleGroup.allCases.allSatisfy { versions[$0] != nil } }
    /// The host's own name.
    var hostName: String? { uname?.node }
}

extension NodeSettings.Collect {
    /// The longest time between two samples, in seconds.
    var longestInterval: Double { max(cpuInterval, processInterval, interval).inSeconds }
}
