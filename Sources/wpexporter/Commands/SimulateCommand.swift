// SPDX-License-Identifier: MIT

import WPCommandLine
import WPCore
import WPExporter
import WPHTTP
import WPLogging
import WPModel
import WPProgram
import WPService
import WPSettings
import WPSimulator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter simulate`
enum SimulateCommand: Command {
    static let password = "simulator"

    /// A scenario that only this command provides.
    private static let steady = "steady"
    /// The scenarios by name; help lists them separately.
    static let scenarios = CommandOption.Argument.word("NAME", Scenario.allCases.map(\.rawValue) + [steady])

    static let name = "simulate"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Simulates a WinPower G2 server, to try the exporter",
        discussion: [
            "The user is admin, the password simulator. Equal seeds give equal devices."
        ],
        lists: [
            .init(
                "Scenarios",
                Scenario.allCases.map { ($0.rawValue, $0.summary) } + [(steady, "normal, with loads that never change")]
            )
        ],
        options: [
            CommandOption("--devices", .value("N"), help: "Number of UPSes", defaultText: "3"),
            CommandOption(
                "--port",
                .value("PORT"),
                help: "Port to listen on; 0 picks a free one",
                defaultText: "8081"
            ),
            CommandOption("--host", .value("HOST"), help: "Address to listen on", defaultText: "127.0.0.1"),
            CommandOption("--scenario", scenarios, help: "Scenario", defaultText: "normal"),
            CommandOption(
                "--alias",
                .value("TEXT"),
                help: "Name of a UPS: for the first, the second and so on",
                isRepeatable: true
            ),
            CommandOption("--seed", .value("N"), help: "Seed of the devices and loads", defaultText: "1"),
            CommandOption("--page-cap", .value("N"), help: "Maximum number of devices per page", defaultText: "20"),
            CommandOption("--token-lifetime", .value("DURATION"), help: "Lifetime of a token", defaultText: "30m"),
            CommandOption(
                "--auth-failure",
                .choice(AuthFailureShape.allCases.map(\.rawValue)),
                help: "How an invalid token is rejected",
                defaultText: AuthFailureShape.http401.rawValue
            ),
            CommandOption(
                "--tls",
                .value("DIRECTORY"),
                help:
                    "Serve HTTPS with a new private CA, whose certificate is written to authority.pem in this directory"
            ),
            FormatOption.option,
        ],
        examples: [
            .init("wpexporter simulate --devices 100 --scenario on-battery", "A fleet during a power failure"),
            .init("wpexporter simulate --tls ./tls", "https, to be trusted by --winpower.ca-file ./tls/authority.pem"),
        ],
        exitStatuses: [
            .init(0, "it was shut down"), .init(1, "it cannot listen"), .init(2, "invalid arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let isSteady = options.value(of: "--scenario") == steady
        let configuration = try configuration(options)
        let service = Service(gracePeriod: .seconds(1))
        let port = try options.integer(of: "--port", in: 0...65535) ?? 8081
        let simulator = WinPowerSimulator(configuration: configuration)
        if isSteady { simulator.holdLoads() }
        let server = SimulatorServer(
            simulator: simulator,
            configuration: SimulatorServer.Configuration(
                host: options.value(of: "--host") ?? "127.0.0.1",
                port: port,
                tls: try options.value(of: "--tls").map(tlsContext)
            )
        )
        try server.bind()
        try Console.output(announcement(server, configuration, FormatOption.value(options)))
        service.ready()
        try await service.run { try await server.run() }
        return .success
    }

    static func configuration(_ options: ParsedOptions) throws -> SimulatorConfiguration {
        SimulatorConfiguration(
            deviceCount: try options.integer(of: "--devices", in: 0...SimulatorConfiguration.maximumDeviceCount) ?? 3,
            seed: UInt64(try options.integer(of: "--seed", in: 0...Int.max) ?? 1),
            scenario: options.value(of: "--scenario").flatMap(Scenario.init) ?? .normal,
            pageCap: try options.integer(of: "--page-cap", in: 1...100_000) ?? 20,
            tokenLifetime: try options.duration(of: "--token-lifetime") ?? .seconds(1800),
            password: Secret(password),
            authFailureShape: options.value(of: "--auth-failure").flatMap(AuthFailureShape.init) ?? .http401,
            deviceAliases: options.values(of: "--alias")
        )
    }

    private static func tlsContext(_ directory: String) throws -> TLSContext {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let authority = try CertificateAuthority.generate()
        try Data(authority.certificatePEM.utf8).write(to: URL(filePath: directory + "/authority.pem"))
        return try authority.issue().makeTLSContext()
    }

    private static func announcement(
        _ server: SimulatorServer,
        _ configuration: SimulatorConfiguration,
        _ format: FormatOption
    ) throws -> String {
        let report = Report(
            url: server.url ?? "",
            username: configuration.username,
            devices: configuration.deviceCount,
            scenario: configuration.scenario.rawValue
        )
        switch format {
        case .json: return try JSONDocument.text(report)
        case .text:
            return """
                A simulated WinPower G2 server with \(report.devices) devices listens on \(report.url)
                User \(report.username), password \(password). Ctrl-C ends it.

                """
        }
    }

    private struct Report: Encodable {
        var url: String
        var username: String
        var devices: Int
        var scenario: String
    }
}
