// SPDX-License-Identifier: MIT

package import WPSettings

/// The key paths of a program's server address, certificate and access control. Programs that serve HTTP share their
/// rows, with the keys `server.tls.*` and `server.auth.*`.
package struct ServerAccess<Settings: Sendable>: Sendable {
    /// All of `server.*`.
    private let server: SettingGroup<Settings, ServerSettings>
    /// The server's certificate and client authentication.
    package let tls: SettingGroup<Settings, ServerTLSSettings>
    /// Access control.
    package let auth: SettingGroup<Settings, ServerAuthSettings>

    package init(_ server: any WritableKeyPath<Settings, ServerSettings> & Sendable) {
        let group = SettingGroup(root: server)
        self.server = group
        tls = SettingGroup(root: group[\.tls])
        auth = SettingGroup(root: group[\.auth])
    }

    /// The rows of `server.auth.*` and `server.tls.*`.
    package var settings: [Setting<Settings>] { authSettings + tlsSettings }

    /// Whether every client that reaches the port is admitted.
    func isOpen(_ settings: Settings) -> Bool {
        let tls = settings[keyPath: tls.root]
        let asksForCertificates = tls.clientCAFile != nil && tls.clientAuth == .required
        return !settings[keyPath: auth.root].isSet && !asksForCertificates
    }

    /// Warnings about settings that are valid but insecure.
    /// - Parameter name: formats a setting and its origin for the start of a warning.
    func warnings(_ settings: Settings, _ name: (SettingPath<Settings>) -> String) -> [String] {
        let (host, credentials) = (settings[keyPath: server.root].host, settings[keyPath: auth.root])
        guard !Loopback.contains(host), credentials.isSet, settings[keyPath: tls.root].certFile == nil else {
            return []
        }
        let keyPath: SettingPath<Settings> =
            if credentials.username != nil {
                auth[\.username]
            } else if credentials.bearerTokenFile != nil {
                auth[\.bearerTokenFile]
            } else {
                auth[\.bearerToken]
            }
        return [
            "\(name(keyPath)): scrapes send their credentials unencrypted to \(host); set server.tls.cert_file "
                + "and server.tls.key_file, or listen on 127.0.0.1 behind a proxy with TLS"
        ]
    }

    /// Warnings about what anyone who reaches the port can do.
    func openWarnings(_ settings: Settings, _ name: (SettingPath<Settings>) -> String) -> [String] {
        let values = settings[keyPath: server.root]
        guard !Loopback.contains(values.host), isOpen(settings) else { return [] }
        let advice = "set server.auth.username with a password, or server.auth.bearer_token_file"
        var warnings: [String] = []
        if values.enableReload {
            warnings.append("\(name(server[\.enableReload])): anyone who reaches the port can reload; \(advice)")
        }
        if values.enablePprof {
            warnings.append(
                "\(name(server[\.enablePprof])): anyone who reaches the port can read the debug page; \(advice)"
            )
        }
        return warnings
    }
}

/// A group of settings that several programs share, and its key path in one of them.
package struct SettingGroup<Settings: Sendable, Group: Sendable>: Sendable {
    package let root: any WritableKeyPath<Settings, Group> & Sendable

    package init(root: any WritableKeyPath<Settings, Group> & Sendable) {
        self.root = root
    }

    /// The key path of one of the group's settings in the program's settings.
    package subscript<Value>(
        inner: any WritableKeyPath<Group, Value> & Sendable
    ) -> any WritableKeyPath<Settings, Value> & Sendable {
        // Appending two sendable key paths yields a sendable one, which the type of `appending` does not express.
        unsafeBitCast(
            root.appending(path: inner),
            to: (any WritableKeyPath<Settings, Value> & Sendable).self
        )
    }
}
