// SPDX-License-Identifier: MIT

import WPConfig
import WPLogging
import WPModel
import WPServer

/// The settings of `server.auth` as a lock before the endpoints.
enum AccessControl {
    /// What needs no credentials: whoever restarts a process that is not healthy need not know its secrets.
    static let exemptPaths: Set<String> = ["/health"]

    /// The handler itself when no credentials are configured; else one that asks for them.
    /// - Throws: `SettingsFileError` when a secret's file can't be read.
    static func guarding(
        _ handler: any HTTPHandler,
        _ settings: ServerAuthSettings,
        timeSource: any TimeSource,
        logger: Logger
    ) throws -> any HTTPHandler {
        let password = try settings.passwordSource.map {
            try RotatingSecret($0, timeSource: timeSource, logger: logger)
        }
        let token = try settings.bearerTokenSource.map {
            try RotatingSecret($0, timeSource: timeSource, logger: logger)
        }
        guard password != nil || token != nil else { return handler }
        let expectedUser = settings.username ?? ""
        let credentials = HTTPAccessControl.Credentials(
            basic: password.map { secret in
                { @Sendable user, password in
                    // Both are compared whatever the first gives, so that the time tells nothing of either.
                    let isUser = ConstantTime.equal(user, expectedUser)
                    let isPassword = ConstantTime.equal(password, secret.current.reveal())
                    return isUser && isPassword
                }
            },
            bearer: token.map { secret in { @Sendable in ConstantTime.equal($0, secret.current.reveal()) } }
        )
        return HTTPAccessControl(handler, realm: "WinPower G2 exporter", exemptPaths: exemptPaths) { credentials }
    }
}
