// SPDX-License-Identifier: MIT

import WPConfig
import WPHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter healthcheck`
enum HealthcheckCommand: Command {
    static let spec = CommandSpec(
        "healthcheck",
        group: CommandGroup.look,
        summary: "Asks a running exporter how it is, for containers without curl",
        discussion: [
            "Without --url it asks the exporter that the settings describe, on this computer. An exporter whose "
                + "collections fail is healthy all the same: to restart it would not help. --strict says otherwise."
        ],
        options: [
            CommandOption("--url", .value("URL"), help: "The address of its /health"),
            CommandOption("--strict", help: "Fail as well when the status is degraded"),
            CommandOption("--timeout", .value("DURATION"), help: "How long to wait", defaultText: "3s"),
            ConfigOption.option,
        ] + SettingTable.options,
        examples: [.init("wpexporter healthcheck --url http://127.0.0.1:9090/health", "Ask a certain exporter")],
        exitStatuses: [
            .init(0, "it serves"),
            .init(1, "it does not answer, or not well, or it is degraded and --strict is given"),
            .init(2, "arguments are at fault"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let timeout = try options.duration(of: "--timeout") ?? .seconds(3)
        let url = try options.value(of: "--url") ?? localURL(ConfigOption.load(options, requireWinPower: false))
        let client: HTTPClient
        do {
            client = try HTTPClient(
                HTTPClient.Configuration(
                    origin: try HTTPOrigin(parsing: url.hasSuffix("/health") ? String(url.dropLast(7)) : url),
                    maxBodyBytes: 64 << 10,
                    userAgent: "\(Version.program)/\(Version.number)"
                )
            )
        } catch {
            throw OptionFault(.invalidValue, "--url: \(error)")
        }
        defer { client.close() }
        let response = try await client.send(HTTPRequest(target: "/health"), timeout: timeout)
        guard response.status == .ok else {
            Console.error("\(Version.program): \(url) answered \(response.status)\n")
            return .failure
        }
        guard let report = try? JSONDecoder().decode(HealthReport.self, from: Data(response.bytes)) else {
            Console.error("\(Version.program): \(url) answered, but not as this exporter does\n")
            return .failure
        }
        let reason = report.reason.map { " (\($0))" } ?? ""
        Console.output("\(report.status.rawValue)\(reason), \(report.devices) devices\n")
        return options.contains("--strict") && report.status == .degraded ? .failure : .success
    }

    /// Where the exporter with these settings is reached from its own computer.
    private static func localURL(_ loaded: LoadedSettings) -> String {
        let server = loaded.settings.server
        let host =
            switch server.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let literal where literal.contains(":"): "[\(literal)]"
            case let name: name
            }
        return "http://\(host):\(server.port)/health"
    }
}
