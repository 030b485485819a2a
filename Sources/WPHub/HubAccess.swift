// SPDX-License-Identifier: MIT

import WPCore
import WPFleet
import WPHTTP
import WPLogging
import WPModel
import WPProgram
import WPServer
import WPSettings

/// Access control of a hub: who may report and who may read.
struct HubAccess: Sendable {
    private let token: RotatingSecret?
    private let tokens: SenderTokens?
    /// The access control of readers; nil for open access.
    let readers: HTTPAccessControl?

    /// - Parameter own: the access control of `server.auth.*` for readers; nil for none.
    /// - Throws: `SettingsFileError` if a secret file cannot be read.
    init(_ settings: HubSettings, readers own: HTTPAccessControl?, _ context: ProgramContext<HubSettings>) throws {
        let token = try settings.hub.tokenSource.map {
            try RotatingSecret($0, timeSource: context.timeSource, logger: context.logger.named("http"))
        }
        self.token = token
        tokens = try settings.hub.tokensFile.map { try SenderTokens(file: $0) }
        // If no password is configured, readers send the token; browsers send it as the password of any user name.
        readers =
            own
            ?? token.map { token in
                HTTPAccessControl(realm: context.description.title) {
                    .init(
                        basic: { ConstantTime.equal($1, await token.current().reveal()) },
                        bearer: { ConstantTime.equal($0, await token.current().reveal()) }
                    )
                }
            }
    }

    /// The sender with a bearer token; nil if there is none. A hub without tokens accepts all reports.
    private func sender(_ presented: String?) async -> ReportIntake.Sender? {
        guard token != nil || tokens != nil else { return .anybody }
        guard let presented else { return nil }
        if let token, ConstantTime.equal(presented, await token.current().reveal()) { return .anybody }
        return tokens?.sender(presented)
    }

    /// The access control of senders.
    var senders: HTTPRouter.Access {
        guard token != nil || tokens != nil else { return .open }
        return .own(HTTPAccessControl(realm: "WinPower G2 hub") { .init(bearer: { await sender($0) != nil }) })
    }

    /// An endpoint that identifies the sender of a report.
    func reporting(_ endpoint: ReportEndpoint) -> any HTTPHandler {
        ClosureHTTPHandler { request in
            try await endpoint.respond(to: request, from: await sender(Self.bearer(request.headers)) ?? .nobody)
        }
    }

    /// The token of an admitted request.
    private static func bearer(_ headers: HTTPFields) -> String? {
        headers.values(of: "Authorization").first?.split(separator: " ", maxSplits: 1).last.map {
            String($0.drop { $0 == " " })
        }
    }
}
