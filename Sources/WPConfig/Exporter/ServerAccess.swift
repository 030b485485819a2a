// SPDX-License-Identifier: MIT

/// Where a program's settings have the address of its server, the server's certificate, and who may ask. Programs that
/// serve HTTP have the same rows for them, with the keys `server.tls.*` and `server.auth.*`.
package struct ServerAccess<Settings: Sendable>: Sendable {
    /// The address that the server listens on.
    let host: any KeyPath<Settings, String> & Sendable
    /// The server's certificate, and what it asks of clients.
    package let tls: SettingGroup<Settings, ServerTLSSettings>
    /// Who may ask.
    package let auth: SettingGroup<Settings, ServerAuthSettings>

    package init(
        host: any KeyPath<Settings, String> & Sendable,
        tls: any WritableKeyPath<Settings, ServerTLSSettings> & Sendable,
        auth: any WritableKeyPath<Settings, ServerAuthSettings> & Sendable
    ) {
        self.host = host
        self.tls = SettingGroup(root: tls)
        self.auth = SettingGroup(root: auth)
    }

    /// The rows of `server.auth.*` and `server.tls.*`.
    package var settings: [Setting<Settings>] { authSettings + tlsSettings }

    /// Whether every client that reaches the port is answered.
    func isOpen(_ settings: Settings) -> Bool {
        let tls = settings[keyPath: tls.root]
        let asksForCertificates = tls.clientCAFile != nil && tls.clientAuth == .required
        return !settings[keyPath: auth.root].isSet && !asksForCertificates
    }

    /// What works but is not safe.
    /// - Parameter name: a setting with its origin, as a warning begins.
    package func warnings(_ settings: Settings, _ name: (SettingPlace<Settings>) -> String) -> [String] {
        let (host, credentials) = (settings[keyPath: host], settings[keyPath: auth.root])
        guard !Loopback.contains(host), credentials.isSet, settings[keyPath: tls.root].certFile == nil else {
            return []
        }
        let place: SettingPlace<Settings> =
            if credentials.username != nil {
                auth[\.username]
            } else if credentials.bearerTokenFile != nil {
                auth[\.bearerTokenFile]
            } else {
                auth[\.bearerToken]
            }
        return [
            "\(name(place)): scrapes send their credentials unencrypted to \(host); set server.tls.cert_file "
                + "and server.tls.key_file, or listen on 127.0.0.1 behind a proxy with TLS"
        ]
    }
}

/// A value that has settings of several programs, and its place among those of one.
package struct SettingGroup<Settings: Sendable, Group: Sendable>: Sendable {
    package let root: any WritableKeyPath<Settings, Group> & Sendable

    /// The place of one of its settings among the program's.
    package subscript<Value>(
        inner: any WritableKeyPath<Group, Value> & Sendable
    ) -> any WritableKeyPath<Settings, Value> & Sendable {
        // A path of two paths that may be shared may be shared too, which the type of `appending` does not say.
        unsafeBitCast(
            root.appending(path: inner),
            to: (any WritableKeyPath<Settings, Value> & Sendable).self
        )
    }
}
