// SPDX-License-Identifier: MIT

import WPProgram
import WPSettings

extension ExporterSettings {
    /// Warnings about settings that are valid but insecure.
    @Sendable static func warnings(
        _ settings: ExporterSettings,
        _ origin: (SettingPath<ExporterSettings>) -> SettingOrigin
    ) -> [String] {
        func name(_ keyPath: SettingPath<ExporterSettings>) -> String { "\(table[keyPath].key) (\(origin(keyPath)))" }
        return winpowerWarnings(settings.winpower, name) + nutWarnings(settings.nut, name)
    }

    private static func nutWarnings(
        _ nut: NUTSettings,
        _ name: (SettingPath<ExporterSettings>) -> String
    ) -> [String] {
        guard nut.enabled, nut.listen.all.contains(where: { !Loopback.contains($0.host) }) else { return [] }
        var warnings: [String] = []
        if !nut.requireTLSForLogin, nut.usersFile != nil {
            warnings.append(
                "\(name(\.nut.requireTLSForLogin)): passwords of NUT clients may cross the network unencrypted"
            )
        }
        if nut.requireTLSForLogin, nut.usersFile != nil, nut.tls.certFile == nil {
            warnings.append(
                "\(name(\.nut.listen)): NUT clients on other machines cannot log in: set nut.tls.cert_file, or "
                    + "nut.require_tls_for_login to false"
            )
        }
        return warnings
    }

    private static func winpowerWarnings(
        _ winpower: WinPowerSettings,
        _ name: (SettingPath<ExporterSettings>) -> String
    ) -> [String] {
        var warnings: [String] = []
        if winpower.skipSSLVerify && winpower.tlsFingerprint == nil {
            warnings.append(
                "\(name(\.winpower.skipSSLVerify)): any certificate is accepted, so anyone on the network path can read "
                    + "the password; winpower.ca_file or winpower.tls_fingerprint trusts a self-signed certificate safely"
            )
        }
        if winpower.refreshThreshold > winpower.tokenLifetime / 2 {
            warnings.append(
                "\(name(\.winpower.refreshThreshold)): a token is used for half of winpower.token_lifetime before it is "
                    + "renewed, so more than that has no effect"
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
}
