// SPDX-License-Identifier: MIT

/// What works but is not safe.
enum SettingsWarnings {
    static func find(in merge: SettingsMerge) -> [String] {
        let winpower = merge.settings.winpower
        var warnings: [String] = []
        if winpower.skipSSLVerify {
            warnings.append(
                "winpower.skip_ssl_verify (\(merge.origin(of: "winpower.skip_ssl_verify"))): any certificate is accepted, "
                    + "so that anybody on the way can read the password; winpower.ca_file trusts a self-signed one safely"
            )
        }
        if let url = winpower.baseURL, url.scheme == .http, !url.isLoopback, winpower.passwordSource != nil {
            warnings.append(
                "winpower.base_url (\(merge.origin(of: "winpower.base_url"))): the password goes to \(url.host) unencrypted; "
                    + "use https if the server offers it"
            )
        }
        return warnings
    }
}
