// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPFleet
import WPHTTP
import WPLogging
import WPModel
import WPPassword
import WPServer

/// Who may report to a hub and who may read from it.
struct HubAccess: Sendable {
    private let token: RotatingSecret?
    private let tokens: SenderTokens?
    private let readers: HTTPAccessControl?

    /// - Parameter passwords: what checks passwords, for all settings that follow one another.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    init(
        _ settings: ExporterSettings,
        passwords: PasswordChecker,
        timeSource: any TimeSource,
        logger: Logger
    ) throws {
        let token = try settings.hub.tokenSource.map {
            try RotatingSecret($0, timeSource: timeSource, logger: logger)
        }
        self.token = token
        tokens = try settings.hub.tokensFile.map { try SenderTokens(file: $0) }
        let own = try AccessControl.make(
            settings.server.auth,
            passwords: passwords,
            timeSource: timeSource,
            logger: logger
        )
        // Without a password of their own, readers give the token: a browser as the password of any user.
        readers =
            own
            ?? token.map { token in
                HTTPAccessControl(realm: "WinPower G2 hub") {
                    .init(
                        basic: { ConstantTime.equal($1, await token.current().reveal()) },
                        bearer: { ConstantTime.equal($0, await token.current().reveal()) }
                    )
                }
            }
    }

    /// Whether readers have to say who they are.
    var protectsReading: Bool { readers != nil }

    /// Whether anybody may report and read.
    var isOpen: Bool { token == nil && tokens == nil && readers == nil }

    /// Who a bearer token is of; nil for a token that is nobody's. A hub without tokens takes all reports.
    private func sender(_ presented: String?) async -> ReportIntake.Sender? {
        guard token != nil || tokens != nil else { return .anybody }
        guard let presented else { return nil }
        if let token, ConstantTime.equal(presented, await token.current().reveal()) { return .anybody }
        return tokens?.sender(presented)
    }

    /// Has an endpoint take reports of those who may report, and says to it who each is of.
    func reporting(_ endpoint: ReportEndpoint, _ problems: @escaping HTTPProblem.Renderer) -> any HTTPHandler {
        guard token != nil || tokens != nil else { return endpoint }
        let control = HTTPAccessControl(realm: "WinPower G2 hub") {
            .init(bearer: { await sender($0) != nil })
        }
        let known = ClosureHTTPHandler { request in
            try await endpoint.respond(to: request, from: await sender(Self.bearer(request.headers)) ?? .nobody)
        }
        return control.guarding(known, problems: problems)
    }

    /// The token of a request that has been let in.
    private static func bearer(_ headers: HTTPFields) -> String? {
        headers.values(of: "Authorization").first?.split(separator: " ", maxSplits: 1).last.map {
            String($0.drop { $0 == " " })
        }
    }

    func reading(_ handler: any HTTPHandler, _ problems: @escaping HTTPProblem.Renderer) -> any HTTPHandler {
        readers.map { $0.guarding(handler, problems: problems) } ?? handler
    }
}
