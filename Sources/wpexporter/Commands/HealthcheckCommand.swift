// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPHTTP
import WPTerminal

/// `wpexporter healthcheck`
enum HealthcheckCommand: Command {
    static let name = "healthcheck"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.look,
        summary: "Checks the health of a running exporter or agent, for containers without curl",
        discussion: [
            "Without --url it asks the exporter that the settings describe, on this computer, and over https accepts "
                + "any certificate, since it sends no secret. An exporter whose collections fail is healthy all the same, "
                + "because a restart would not help; --strict reports it as failed."
        ],
        options: [
            CommandOption("--url", .value("URL"), help: "Address of the exporter's /health"),
            CommandOption(
                "--ca-file",
                .value("PATH"),
                help: "PEM file of the certificate authorities to trust",
                defaultText: "the system's with --url"
            ),
            CommandOption("--client-cert", .value("PATH"), help: "PEM file of a client certificate"),
            CommandOption("--client-key", .value("PATH"), help: "PEM file of that certificate's key"),
            CommandOption("--strict", help: "Fail also when the status is degraded"),
            CommandOption("--timeout", .value("DURATION"), help: "Time limit", defaultText: "3s"),
            ConfigOption.option,
        ],
        shared: ExporterSettings.table.options,
        examples: [
            .init("wpexporter healthcheck --url http://127.0.0.1:9090/health", "Check an exporter by its address"),
            .init("wpexporter healthcheck --url http://127.0.0.1:9100/health", "Check the agent of a node"),
        ],
        exitStatuses: [
            .init(0, "it is healthy"),
            .init(1, "no response, an invalid response, or degraded with --strict"),
            .init(2, "invalid arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let timeout = try options.duration(of: "--timeout") ?? .seconds(3)
        let probe = try probe(options)
        let answer = try await probe.ask(timeout: timeout)
        try Console.output(TerminalText.printable("\(answer)") + "\n")
        return options.contains("--strict") && answer.status == .degraded ? .failure : .success
    }

    private static func probe(_ options: ParsedOptions) throws -> HealthProbe {
        let url =
            try options.value(of: "--url")
            ?? HealthProbe.localURL(of: ConfigOption.load(options, requireWinPower: false).settings.server)
        let identity = try identity(options)
        do {
            return try HealthProbe(url: url, verification: verification(options), identity: identity)
        } catch let error as HTTPClientError {
            throw OptionFault(.invalidValue, error.message)
        } catch {
            throw OptionFault(.invalidValue, "--url: \(error)")
        }
    }

    private static func verification(_ options: ParsedOptions) -> TLSVerification {
        if let path = options.value(of: "--ca-file") { return .authorities(path: path) }
        return options.value(of: "--url") == nil ? .none : .system
    }

    private static func identity(_ options: ParsedOptions) throws(OptionFault) -> TLSIdentityFiles? {
        switch (options.value(of: "--client-cert"), options.value(of: "--client-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSIdentityFiles(certificateFile: certificate, keyFile: key)
        case (_, nil): throw OptionFault(.invalidValue, "--client-cert needs --client-key")
        case (nil, _): throw OptionFault(.invalidValue, "--client-key needs --client-cert")
        }
    }
}
