// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPHost
import WPLogging
import WPNodeAgent
import WPServer
import WPService
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter node`
enum NodeCommand: Command {
    static let name = "node"

    private static let config = CommandOption(
        "--config",
        .value("PATH"),
        help: "The YAML file with the settings",
        defaultText: "the first of ./node.yaml, ./node.yml, /etc/winpower-exporter/node.yaml and "
            + "~/.config/winpower-exporter/node.yaml that exists"
    )

    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Serves this machine's hardware metrics under node_exporter's names, and pushes them to a hub",
        discussion: [
            "It samples processors, memory, disks, networks, sensors and processes, and serves them at "
                + "/metrics. With --node.hub it pushes a snapshot every few seconds as well, and "
                + "keeps snapshots while the hub does not answer.",
            "Collectors, paths and exclusions have node_exporter's flags. In a container, mount the host's /proc, /sys and "
                + "/ and name them with --path.procfs, --path.sysfs and --path.rootfs.",
        ],
        options: [
            CommandOption("--once", help: "Sample for a second, print one snapshot, and exit"),
            CommandOption(
                "--watch",
                help: "Show this machine live on the terminal, or as a JSON document per interval"
            ),
            CommandOption(
                "--format",
                .choice(FormatOption.tableOrJSON),
                help: "Output format of --once, --watch and --config.print",
                defaultText: FormatOption.tableOrJSON[0]
            ),
            config, ConfigOption.print,
        ] + NodeExporterFlags.options,
        shared: NodeSettings.table.options,
        examples: [
            .init("wpexporter node", "Serve on port 9100"),
            .init("wpexporter node --once --format json | jq .cpu", "One snapshot, for a program"),
            .init(
                "wpexporter node --node.hub https://hub.example.com:8082 --node.hub-token-file ./token",
                "Push to a hub as well"
            ),
        ],
        exitStatuses: [
            .init(0, "it was shut down, or the snapshot is printed"),
            .init(1, "it failed: for example a port in use"),
            .init(2, "invalid settings or arguments"),
            .init(130, "--once was interrupted by Ctrl-C"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        _ = try NodeExporterFlags(options)
        if options.contains(ConfigOption.print.name) {
            let format: FormatOption = options.value(of: "--format") == "json" ? .json : .text
            try Console.output(format.report(try load(options)))
            return .success
        }
        if options.contains("--once") { return try await printOnce(options) }
        if options.contains("--watch") { return try await watch(options) }
        return try await RunningService.run { service in try await serve(options, service) }
    }

    private static func load(_ options: ParsedOptions) throws -> LoadedSettings<NodeSettings> {
        try SettingsLoader(NodeSettings.table, environment: ProcessInfo.processInfo.environment).load(
            configPath: options.value(of: "--config"),
            flags: options.settingFlags + NodeExporterFlags(options).settings,
            examine: NodeSettings.problems
        )
    }

    private static func serve(_ options: ParsedOptions, _ service: Service) async throws {
        let loaded = try load(options)
        let settings = loaded.settings
        let running = try RunningService(
            service,
            settings.logging,
            gracePeriod: settings.server.shutdownTimeout,
            warnings: loaded.warnings + NodeExporterFlags(options).warnings
        )
        defer { running.logging.flush() }
        let agent = try NodeAgent(
            settings: settings,
            build: NodeAgent.Build(version: Version.number, revision: Version.revision, swift: Version.swift),
            listening: SocketActivation.takeDescriptors(),
            logger: running.logger,
            reloading: NodeAgent.Reloading(
                running: loaded,
                steps: running.steps(logging: \.logging, gracePeriod: \.server.shutdownTimeout)
            ) { try load(options) }
        )
        let fields: LogFields = [
            "config_file": .string(loaded.configFile ?? ""), "port": .int(agent.server?.port ?? 0),
            "hub": .string(settings.node.hub?.description ?? ""),
        ]
        try await running.run("Agent", fields, reload: { await agent.reload() }) { try await agent.run() }
    }

    private static func watch(_ options: ParsedOptions) async throws -> ExitStatus {
        let terminal = Terminal.standardOutput
        let environment = ProcessInfo.processInfo.environment
        let asJSON = options.value(of: "--format") == "json"
        guard asJSON || terminal.size != nil else {
            throw OptionFault(.invalidValue, "--watch: a screen needs a terminal; --format json does not")
        }
        let loaded = try load(options)
        ConfigOption.warn(loaded)
        let watch = NodeWatch(loaded.settings)
        if asJSON {
            try await watch.run(writingTo: Console.output)
        } else {
            let glyphs = Glyphs.suited(to: environment)
            let screen = LiveScreen(
                terminal: terminal,
                withStyles: terminal.showsColours(environment),
                glyphs: glyphs
            )
            try await watch.run(on: screen, glyphs: glyphs)
        }
        return .success
    }

    private static func printOnce(_ options: ParsedOptions) async throws -> ExitStatus {
        let signals = Signals.stream(of: Signals.ending)
        let loaded = try load(options)
        ConfigOption.warn(loaded)
        let settings = loaded.settings
        let sampler = HostSampler(HostConfiguration(settings))
        let reading = Task { try await sampler.snapshot(nodeName: settings.node.name) }
        let waiting = Task {
            for await _ in signals {
                reading.cancel()
                break
            }
        }
        defer { waiting.cancel() }
        let snapshot: NodeSnapshot
        do {
            snapshot = try await reading.value
        } catch is CancellationError {
            return .interrupted
        }
        if options.value(of: "--format") == "json" {
            try Console.output(snapshot.json())
            return .success
        }
        let environment = ProcessInfo.processInfo.environment
        let terminal = Terminal.standardOutput
        let view = SnapshotView(
            snapshot,
            width: terminal.lineWidth(environment),
            glyphs: .suited(to: environment)
        )
        let withStyles = terminal.showsColours(environment)
        try Console.output(view.lines.map { $0.rendered(withStyles: withStyles) + "\n" }.joined())
        return .success
    }
}
