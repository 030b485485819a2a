// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPHub
import WPLogging
import WPServer
import WPService
import WPSockets

/// `wpexporter hub`
enum HubCommand: Command {
    static let name = "hub"

    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Takes the reports of nodes and exporters, keeps their history and serves it",
        discussion: [
            "Nodes post their snapshots to /metrics/node and servers with hub.url their readings to /metrics/ups. The "
                + "history is kept in history.db in the data directory; the API is described by /api/v2/openapi.json.",
            "The port is \(Hub.defaultPort) and the host 127.0.0.1 unless they are set. On any other address than a "
                + "loopback one, hub.token or hub.token_file must be set.",
        ],
        options: [ConfigOption.option, ConfigOption.print, FormatOption.option],
        shared: ExporterSettings.options(showing: ["server", "storage", "history", "hub", "logging"]),
        examples: [
            .init(
                "wpexporter hub --data-dir /var/lib/winpower-hub --host 0.0.0.0 --hub.token-file /etc/winpower-hub/token",
                "A hub for other machines"
            ),
            .init("wpexporter hub --data-dir ./hub --history.interval 10s", "A hub to try things with"),
        ],
        exitStatuses: [
            .init(0, "it was shut down"),
            .init(1, "it failed: for example a port in use, or a data directory that is in use"),
            .init(2, "invalid settings or arguments, or no token where one is needed"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        if options.contains(ConfigOption.print.name) {
            Console.output(try FormatOption.value(options).report(try HubSettingsLoading.load(options)))
            return .success
        }
        let service = Service()
        try await service.run { try await run(options, service) }
        return .success
    }

    private static func run(_ options: ParsedOptions, _ service: Service) async throws {
        let loaded = try HubSettingsLoading.load(options)
        let settings = loaded.settings
        let logging = try LoggingSystem(LoggingConfiguration(settings.logging))
        defer { logging.flush() }
        let logger = logging.logger
        service.configure(gracePeriod: settings.scheduler.gracefulShutdownTimeout, logger: logger)
        OpenFileLimit.raise()
        for warning in loaded.warnings { logger.warn("Setting needs attention", ["warning": .string(warning)]) }
        let hub = try await Hub.open(loaded, inherited: SocketActivation.takeDescriptors(), logger: logger)
        logger.info(
            "Hub started",
            [
                "version": .string(Version.number), "data_dir": .string(settings.storage.dataDir),
                "cluster": .string(settings.hub.cluster), "port": .int(hub.server.port ?? 0),
            ]
        )
        service.serve { request in
            switch request {
            case .reload: logger.warn("A hub takes other settings at its next start", ["signal": "SIGHUP"])
            case .reopenLogs: ServerCommand.reopen(logging)
            }
        }
        service.ready()
        try await hub.run()
        logger.info("Hub stopped")
    }
}

/// The settings of a hub: the exporter's, with another port and host where none is set.
private enum HubSettingsLoading {
    static func load(_ options: ParsedOptions) throws -> LoadedSettings<ExporterSettings> {
        var flags = options.settingFlags
        // What is set later wins, so these come first; a variable or the file would lose to a flag.
        let plain = try ConfigOption.load(options, requireWinPower: false)
        func isSet(_ key: String) -> Bool { plain.effective.contains { $0.key == key && $0.origin != .standard } }
        if !isSet("server.port") {
            flags.append(ParsedFlag("--port", key: "server.port", value: String(Hub.defaultPort)))
        }
        if !isSet("server.host") { flags.append(ParsedFlag("--host", key: "server.host", value: "127.0.0.1")) }
        let loaded = try ConfigOption.load(options, flags: flags, requireWinPower: false, checksFiles: true)
        if !Loopback.contains(loaded.settings.server.host), loaded.settings.hub.tokenSource == nil {
            throw OptionFault(
                .missingArgument,
                "anyone who reaches \(loaded.settings.server.host) could report and read: set hub.token_file "
                    + "(--hub.token-file) or hub.token (WINPOWER_EXPORTER_HUB_TOKEN), or listen on 127.0.0.1"
            )
        }
        return loaded
    }
}
