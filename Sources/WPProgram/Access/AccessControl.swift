// SPDX-License-Identifier: MIT

package import WPCore
package import WPLogging
package import WPServer
import WPSettings

/// Access control of the endpoints, from the settings of `server.auth`.
package enum AccessControl {
    /// Creates the check of the configured credentials; nil if there are none.
    /// - Parameter realm: the realm shown in password prompts.
    /// - Throws: `SettingsFileError` if a secret file cannot be read; ``Incomplete`` for a user without a password.
    package static func make(
        _ settings: ServerAuthSettings,
        realm: String,
        passwords: PasswordChecker,
        timeSource: any TimeSource,
        logger: Logger
    ) throws -> HTTPAccessControl? {
        var credentials = HTTPAccessControl.Credentials()
        let username = settings.username ?? ""
        if let source = settings.passwordSource {
            let secret = try RotatingSecret(source, timeSource: timeSource, logger: logger)
            credentials.basic = { presented, password in
                // Both are always compared, so that the timing reveals nothing about either.
                let isUser = ConstantTime.equal(presented, username)
                let isPassword = ConstantTime.equal(password, await secret.current().reveal())
                return isUser && isPassword
            }
        } else if let source = settings.passwordHashSource {
            credentials.basic = try hashCheck(source, username, passwords, timeSource: timeSource, logger: logger)
        }
        if let source = settings.bearerTokenSource {
            let secret = try RotatingSecret(source, timeSource: timeSource, logger: logger)
            credentials.bearer = { ConstantTime.equal($0, await secret.current().reveal()) }
        }
        // The settings rules exclude this; without the check, access would be open.
        guard settings.username == nil || credentials.basic != nil else { throw Incomplete() }
        guard credentials.basic != nil || credentials.bearer != nil else { return nil }
        let expected = credentials
        return HTTPAccessControl(realm: realm) { expected }
    }

    /// A user name without a password.
    package struct Incomplete: Error, CustomStringConvertible {
        package let description = "server.auth.username: a user name needs a password"
    }

    private static func hashCheck(
        _ source: SecretSource,
        _ username: String,
        _ checker: PasswordChecker,
        timeSource: any TimeSource,
        logger: Logger
    ) throws -> @Sendable (String, String) async throws(HTTPAccessControl.Busy) -> Bool {
        let secret = try RotatingSecret(source, timeSource: timeSource, logger: logger) { new in
            try PasswordHash(parsing: new.reveal()).probe()
        }
        return { presented, password throws(HTTPAccessControl.Busy) in
            // An unparsable hash has not passed the check above.
            // lint: the secret file may contain anything
            guard let hash = try? PasswordHash(parsing: await secret.current().reveal()) else { return false }
            do throws(PasswordChecker.Overloaded) {
                return try await checker.isRight(
                    username: presented,
                    password: password,
                    for: PasswordChecker.Account(username: username, hash: hash)
                )
            } catch {
                throw HTTPAccessControl.Busy()
            }
        }
    }
}
