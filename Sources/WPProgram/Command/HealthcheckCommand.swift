// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPHTTP
package import WPSettings
import WPTerminal

/// `healthcheck`, for containers without curl.
package struct HealthcheckCommand: Sendable {
    private let program: String
    private let shared: SharedOptions
    private let config: CommandOption
    private let settings: @Sendable (ParsedOptions) throws -> ServerSettings

    /// - Parameters:
    ///   - program: the name on the command line.
    ///   - table: the settings of the program to query if no address is given.
    ///   - settings: loads its `server.*`.
    package init<Settings>(
        _ program: String,
        _ table: SettingTable<Settings>,
        settings: @escaping @Sendable (ParsedOptions) throws -> ServerSettings
    ) {
        self.program = program
        shared = table.options
        config = ConfigOption.file(of: table)
        self.settings = settings
    }

    /// The command's entry in a ``CommandSet``.
    package var entry: CommandEntry { CommandEntry("healthcheck", { spec }, run) }

    private var spec: CommandSpec {
        CommandSpec(
            "healthcheck",
            group: CommandGroup.inspect,
            summary: "Checks the health of a running program, for containers without curl",
            discussion: [
                "Without --url it asks the program that the settings describe, on this machine, and over https accepts "
                    + "any certificate, since it sends no secret. A program that serves while something it needs fails "
                    + "is healthy all the same, because a restart would not help; --strict reports it as failed."
            ],
            options: [
                CommandOption("--url", .value("URL"), help: "Address of the program's /health"),
                CommandOption(
                    "--ca-file",
                    .value("PATH"),
                    help: "PEM file of the CA certificates to trust",
                    defaultText: "the system's with --url"
                ),
                CommandOption("--client-cert", .value("PATH"), help: "PEM file of a client certificate"),
                CommandOption("--client-key", .value("PATH"), help: "PEM file of the client certificate's private key"),
                CommandOption("--strict", help: "Also fail if the status is degraded"),
                CommandOption("--timeout", .value("DURATION"), help: "Time limit", defaultText: "3s"),
                config,
            ],
            shared: shared,
            examples: [
                .init("\(program) healthcheck --url http://127.0.0.1:9090/health", "Check a program by its address")
            ],
            exitStatuses: [
                .init(0, "it is healthy"),
                .init(1, "no response, an invalid response, or degraded with --strict"),
                .init(2, "invalid arguments"),
            ]
        )
    }

    private func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let timeout = try options.duration(of: "--timeout") ?? .seconds(3)
        let probe = try probe(options)
        let answer = try await probe.ask(timeout: timeout)
        try Console.output(TerminalText.printable("\(answer)") + "\n")
        return options.contains("--strict") && answer.status == .degraded ? .failure : .success
    }

    private func probe(_ options: ParsedOptions) throws -> HealthProbe {
        let url =
            try options.value(of: "--url")
            ?? HealthProbe.localURL(of: settings(options))
        let identity = try identity(options)
        do {
            return try HealthProbe(url: url, verification: verification(options), identity: identity)
        } catch let error as HTTPClientError {
            throw OptionFault(.invalidValue, error.message)
        } catch {
            throw OptionFault(.invalidValue, "--url: \(error)")
        }
    }

    private func verification(_ options: ParsedOptions) -> TLSVerification {
        if let path = options.value(of: "--ca-file") { return .authorities(path: path) }
        return options.value(of: "--url") == nil ? .none : .system
    }

    private func identity(_ options: ParsedOptions) throws(OptionFault) -> TLSIdentityFiles? {
        switch (options.value(of: "--client-cert"), options.value(of: "--client-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSIdentityFiles(certificateFile: certificate, keyFile: key)
        case (_, nil): throw OptionFault(.invalidValue, "--client-cert needs --client-key")
        case (nil, _): throw OptionFault(.invalidValue, "--client-key needs --client-cert")
        }
    }
}
