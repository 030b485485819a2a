// SPDX-License-Identifier: MIT

extension ExporterSettings {
    /// What works but is not safe.
    @Sendable static func warnings(
        _ settings: ExporterSettings,
        _ origin: (SettingPlace<ExporterSettings>) -> SettingOrigin
    ) -> [String] {
        func name(_ place: SettingPlace<ExporterSettings>) -> String { "\(table[place].key) (\(origin(place)))" }
        return winpowerWarnings(settings.winpower, name) + serverWarnings(settings.server, name)
    }

    private static func winpowerWarnings(
        _ winpower: WinPowerSettings,
        _ name: (SettingPlace<ExporterSettings>) -> String
    ) -> [String] {
        var warnings: [String] = []
        if winpower.skipSSLVerify && winpower.tlsFingerprint == nil {
            warnings.append(
                "\(name(\.winpower.skipSSLVerify)): any certificate is accepted, so anyone on the network path can read "
                    + "the password; winpower.ca_file or winpower.tls_fingerprint trusts a self-signed certificate safely"
            )
        }
        if let url = winpower.baseURL, url.scheme == .http, !url.isLoopback, winpower.passwordSource != nil {
            warnings.append(
                "\(name(\.winpower.baseURL)): the password goes to \(url.host) unencrypted; use https if the server "
                    + "offers it"
            )
        }
        return warnings
    }

    private static func serverWarnings(
        _ server: ServerSettings,
        _ name: (SettingPlace<ExporterSettings>) -> String
    ) -> [String] {
        guard !Loopback.contains(server.host) else { return [] }
        var warnings: [String] = []
        if server.auth.isSet && server.tls.certFile == nil {
            let place: SettingPlace<ExporterSettings> =
                if server.auth.username != nil {
                    \.server.auth.username
                } else if server.auth.bearerTokenFile != nil {
                    \.server.auth.bearerTokenFile
                } else {
                    \.server.auth.bearerToken
                }
            warnings.append(
                "\(name(place)): scrapes send their credentials unencrypted to \(server.host); set server.tls.cert_file "
                    + "and server.tls.key_file, or listen on 127.0.0.1 behind a proxy with TLS"
            )
        }
        let asksForCertificates = server.tls.clientCAFile != nil && server.tls.clientAuth == .required
        if !server.auth.isSet && !asksForCertificates {
            let advice = "set server.auth.username with a password, or server.auth.bearer_token_file"
            if server.enableReload {
                warnings.append("\(name(\.server.enableReload)): anyone who reaches the port can reload; \(advice)")
            }
            if server.enablePprof {
                warnings.append(
                    "\(name(\.server.enablePprof)): anyone who reaches the port can read the debug page; \(advice)"
                )
            }
        }
        return warnings
    }
}

/// Names and addresses of this machine.
package enum Loopback {
    /// Whether a host is this machine, by its name or address: `localhost`, `127.0.0.0/8` or `::1`.
    package static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
