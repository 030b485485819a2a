// SPDX-License-Identifier: MIT

import Synchronization
package import WPCommandLine
import WPCore
import WPHTTP
package import WPHost
import WPHubClient
import WPLogging
import WPMetrics
import WPMetricsHTTP
package import WPProgram
import WPScheduler
package import WPSettings

/// `node`: samples this machine, serves the sample under node_exporter's names, and pushes it to a hub.
package final class NodeProgram: ExporterProgram {
    package static let description = ProgramDescription(
        own: "node",
        title: "Node agent",
        logName: "Agent",
        summary: "Serves this machine's hardware metrics under node_exporter's names, and pushes them to a hub",
        discussion: [
            "It samples processors, memory, disks, networks, sensors and processes, and serves them at "
                + "/metrics. With --node.hub it pushes a snapshot every few seconds as well, and "
                + "keeps snapshots while the hub does not answer.",
            "Collectors, paths and exclusions have node_exporter's flags. In a container, mount the host's /proc, /sys and "
                + "/ and name them with --path.procfs, --path.sysfs and --path.rootfs.",
        ],
        metrics: "node"
    )

    /// Samples the machine.
    package let sampler: HostSampler

    package convenience init(_ context: ProgramContext<NodeSettings>) throws {
        try self.init(context, collectors: [:])
    }

    /// - Parameter collectors: those of the embedding program, by name.
    init(_ context: ProgramContext<NodeSettings>, collectors: [String: any MetricCollector]) throws {
        let (settings, registry, timeSource) = (context.settings, context.registry, context.timeSource)
        let sampler = HostSampler(settings.host, timeSource: timeSource)
        self.sampler = sampler
        let collectorLogger = context.logger.named("collector")
        let log = CollectorLog(collectorLogger)
        let collect = settings.collect
        let own = collectors.sorted { $0.key < $1.key }.map {
            OwnCollector($0.key, $0.value, timeSource: timeSource, logger: collectorLogger)
        }
        try registry.register(
            NodeMetricsCollector(
                timeSource: timeSource,
                reserved: { [weak registry] in registry?.declaredNames ?? [] },
                onTextFault: log.record,
                moreReports: { own.compactMap(\.report) },
                sample: { sampler.current }
            )
        )
        for collector in own {
            try registry.register(collector)
            context.component("collector \(collector.name)") { await collector.run(every: collect.interval) }
        }
        // Dashboards for node_exporter query it.
        try registry.register(
            BuildInfoCollector(
                program: "node_exporter",
                version: context.description.version,
                revision: context.description.revision,
                swiftVersion: Version.swift
            )
        )
        let (first, sampled) = AsyncStream<Void>.makeStream()
        context.component("sampler") {
            await sampler.run(
                cpu: collect.cpuInterval,
                processes: collect.processInterval,
                system: collect.interval
            ) { _, sample in
                log.record(sample)
                if sample.isComplete { sampled.finish() }
            }
        }
        // Serves only after the first sample, so that no scrape sees a machine without values.
        context.beforeServing { for await _ in first {} }
        let name = settings.node.name
        context.health("sample") {
            let sample = sampler.current
            return sample.health(
                node: name ?? sample.hostName ?? "",
                interval: collect.longestInterval,
                failed: own.filter { $0.report?.isSuccess == false }.map(\.name),
                at: timeSource.now
            )
        }
        let scrape = NodeScrape(
            sampler: sampler,
            collectors: settings.host.collectors,
            own: own,
            metrics: MetricsHandler(registry, logger: context.logger.named("http"), timeSource: timeSource),
            timeSource: timeSource,
            logger: context.logger.named("http")
        )
        context.route(.get, "/metrics", name: "metrics", scrape)
        context.logFields(["hub": .string(settings.node.hub?.description ?? "")])
        try Self.push(sampler, context)
    }

    /// Pushes a snapshot per interval, if there is a hub.
    private static func push(_ sampler: HostSampler, _ context: ProgramContext<NodeSettings>) throws {
        let (settings, timeSource) = (context.settings, context.timeSource)
        guard let hub = settings.node.hub else { return context.health("hub") { nil } }
        let target = try HubTarget(settings.node, hub, userAgent: context.userAgent("wpexporter-node"))
        let sender = HubSender(
            to: target,
            settings: settings.node,
            timeSource: timeSource,
            logger: context.logger.named("push")
        )
        try sender.register(in: context.registry, as: .snapshots)
        context.health("hub") { sender.status.health(at: timeSource.now) }
        context.onReload { new in
            var changed = target
            changed.token = new.node.tokenSource?.reader
            sender.replace(with: changed)
        }
        let (first, sampled) = AsyncStream<Void>.makeStream()
        context.component("push") { await sender.run() }
        context.component("snapshots") {
            for await _ in first {}
            await feed(sender, sampler, settings.node, timeSource)
        }
        context.beforeServing { sampled.finish() }
    }

    /// Queues a snapshot per interval. Its usage and rates cover the whole interval, so that the hub's averages have no
    /// gaps.
    private static func feed(
        _ sender: HubSender,
        _ sampler: HostSampler,
        _ settings: NodeSettings.Node,
        _ timeSource: any TimeSource
    ) async {
        let interval = settings.pushInterval
        let earlier = Mutex(sampler.current)
        await Ticker(interval: interval, timeSource: timeSource).run {
            let sample = sampler.current
            let snapshot = NodeSnapshot(sample, nodeName: settings.name, since: earlier.withLock(\.self))
            // lint: a non-finite number from outside costs one snapshot
            if let body = try? JSONDocument.bytes(snapshot) { sender.add(body) }
            earlier.withLock { $0 = sample }
        }
    }

    package static func load(
        _ options: ParsedOptions,
        environment: [String: String]
    ) throws -> LoadedSettings<NodeSettings> {
        let flags = try NodeExporterFlags(options)
        return try SettingsLoader(NodeSettings.table, environment: environment).load(
            configPath: options.value(of: ConfigOption.name),
            flags: options.settingFlags + flags.settings,
            examine: NodeSettings.problems
        ).adding({ _ in }, warnings: flags.warnings)
    }

    package static var options: [CommandOption] { NodeExporterFlags.options }
}

extension HostSample {
    /// Whether every group was sampled.
    var isComplete: Bool { HostSampleGroup.allCases.allSatisfy { times[$0] != nil } }
    /// The host name.
    var hostName: String? { uname?.node }
}
