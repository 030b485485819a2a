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
            "On any other address than a loopback one, hub.token_file, hub.tokens_file or hub.token must be set. SIGHUP "
                + "reloads the settings, tokens and certificates among them; SIGUSR1 reopens the log file.",
        ],
        options: [ConfigOption.option(of: ExporterSettings.hubTable), ConfigOption.print, FormatOption.option],
        shared: ExporterSettings.options(
            showing: ["server", "storage", "history", "hub", "logging"],
            of: ExporterSettings.hubTable
        ),
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
            try Console.output(FormatOption.value(options).report(try load(options)))
            return .success
        }
        return try await RunningService.run { service in try await run(options, service) }
    }

    private static func run(_ options: ParsedOptions, _ service: Service) async throws {
        let loaded = try load(options)
        let settings = loaded.settings
        let running = try RunningService(
            service,
            settings.logging,
            gracePeriod: settings.scheduler.gracefulShutdownTimeout,
            warnings: loaded.warnings
        )
        defer { running.logging.flush() }
        let hub = try await Hub.open(
            loaded,
            inherited: SocketActivation.takeDescriptors(),
            logger: running.logger,
            reloading: running.reloading { try load(options) }
        )
        let fields: LogFields = [
            "data_dir": .string(settings.storage.dataDir), "cluster": .string(settings.hub.cluster),
            "port": .int(hub.server.port ?? 0),
        ]
        try await running.run("Hub", fields, reload: { await hub.reloader.reload(.signal) }) { try await hub.run() }
    }

    private static func load(_ options: ParsedOptions) throws -> LoadedSettings<ExporterSettings> {
        let loaded = try ConfigOption.load(
            options,
            table: ExporterSettings.hubTable,
            requireWinPower: false,
            checksFiles: true
        )
        let (hub, server) = (loaded.settings.hub, loaded.settings.server)
        guard !Loopback.contains(server.host) else { return loaded }
        guard hub.tokenSource != nil || hub.tokensFile != nil else {
            throw OptionFault(
                .missingArgument,
                "anyone who reaches \(server.host) could report and read: set hub.token_file (--hub.token-file), "
                    + "hub.tokens_file or hub.token (WINPOWER_EXPORTER_HUB_TOKEN), or listen on 127.0.0.1"
            )
        }
        guard hub.tokenSource != nil || server.auth.isSet else {
            throw OptionFault(
                .missingArgument,
                "anyone who reaches \(server.host) could read: besides hub.tokens_file, which is for reports, set "
                    + "hub.token_file or server.auth, or listen on 127.0.0.1"
            )
        }
        return loaded
    }
}
