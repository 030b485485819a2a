// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPServer
package import WPSettings

extension ServerAccess {
    /// Problems with a server's certificate and client authentication, so that unusable content is reported as a fault
    /// of the setting and not as a failed start. Blocks: reads files and computes a password hash.
    package func problems(in settings: Settings) -> [SettingProblem<Settings>] {
        NamedFiles.authorities(tls[\.clientCAFile], settings) + NamedFiles.identity(tls, settings)
            + NamedFiles.passwordHash(auth, settings)
    }
}

/// Checks of named files that only their modules can perform. Blocks.
package enum NamedFiles {
    package static func authorities<Settings>(
        _ keyPath: any KeyPath<Settings, String?> & Sendable,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        guard let path = settings[keyPath: keyPath] else { return [] }
        do throws(TLSError) {
            _ = try TLSContext.client(.authorities(path: path))
            return []
        } catch {
            let advice = "name a PEM file with at least one certificate"
            return [SettingProblem(keyPath, "\(error.message); \(advice)")]
        }
    }

    package static func identity<Settings>(
        _ tls: SettingGroup<Settings, ServerTLSSettings>,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        guard var configuration = TLSServerConfiguration(settings[keyPath: tls.root]) else { return [] }
        do throws(TLSError) {
            configuration.clientAuthorityFile = nil
            _ = try TLSContext.server(configuration)
            return []
        } catch {
            let isAboutKey = error.file == configuration.identity.keyFile
            return [
                isAboutKey
                    ? SettingProblem(tls[\.keyFile], error.message)
                    : SettingProblem(
                        tls[\.certFile],
                        error.message + "; name a PEM file with the server's certificate"
                    )
            ]
        }
    }

    package static func passwordHash<Settings>(
        _ auth: SettingGroup<Settings, ServerAuthSettings>,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        let credentials = settings[keyPath: auth.root]
        // lint: an unreadable file is reported where it is used
        guard let source = credentials.passwordHashSource, let secret = try? source.secret() else { return [] }
        do throws(PasswordHash.Unusable) {
            try PasswordHash(parsing: secret.reveal()).probe()
            return []
        } catch {
            return [
                credentials.passwordHashFile == nil
                    ? SettingProblem(auth[\.passwordHash], error.message)
                    : SettingProblem(auth[\.passwordHashFile], error.message)
            ]
        }
    }
}
