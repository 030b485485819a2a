// SPDX-License-Identifier: MIT

import WPConfig
import WPExporter
import WPLogging
import WPModel
import WPPassword
import WPServer

/// Who may report to a hub and who may read from it.
struct HubAccess {
    private let reporters: HTTPAccessControl?
    private let readers: HTTPAccessControl?

    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    init(_ settings: ExporterSettings, timeSource: any TimeSource, logger: Logger) throws {
        var token: RotatingSecret?
        if let source = settings.hub.tokenSource {
            token = try RotatingSecret(source, timeSource: timeSource, logger: logger)
        }
        reporters = token.map { token in
            HTTPAccessControl(realm: "WinPower G2 hub") {
                .init(bearer: { ConstantTime.equal($0, await token.current().reveal()) })
            }
        }
        let own = try AccessControl.make(
            settings.server.auth,
            passwords: PasswordChecker(),
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

    func reporting(_ handler: any HTTPHandler, _ problems: @escaping HTTPProblem.Renderer) -> any HTTPHandler {
        reporters.map { $0.guarding(handler, problems: problems) } ?? handler
    }

    func reading(_ handler: any HTTPHandler, _ problems: @escaping HTTPProblem.Renderer) -> any HTTPHandler {
        readers.map { $0.guarding(handler, problems: problems) } ?? handler
    }
}
