// SPDX-License-Identifier: MIT

import WPProgram
public import WPSettings

extension HubSettings {
    /// All settings of a hub: their single declaration. Settings of a server are accepted and ignored, so that both may
    /// share a file and variables.
    public static let table = SettingTable(
        prefix: "WINPOWER_EXPORTER_",
        defaults: HubSettings(),
        searchPaths: [
            "./hub.yaml", "./hub.yml", "/etc/winpower-hub/config.yaml", "~/.config/winpower-hub/config.yaml",
        ],
        server: \.server,
        logging: \.logging,
        leavingOut: ["server.shutdown_timeout"],
        sections: [
            SettingSection("storage", "Where the history is kept", SettingGroup(root: \HubSettings.storage).rows),
            SettingSection("history", "The history", SettingGroup(root: \HubSettings.history).rows),
            SettingSection("hub", "Who may report, and what is shown", hub),
            SettingSection("energy", "What energy costs", SettingGroup(root: \HubSettings.tariff).rows),
            SettingSection("scheduler", "How often senders report", SettingGroup(root: \HubSettings.scheduler).rows),
        ],
        warnings: { _, _ in [] }
    ).ignoring(serverKeys).chapter("SETTINGS OF HUB")

    /// The settings of a server that a hub does not have.
    private static let serverKeys = [
        "energy.max_gap", "energy.plausibility_margin", "history.enabled", "hub.ca_file", "hub.proxy", "hub.site",
        "hub.url",
        "metrics.stale_after", "nut.allow", "nut.enabled", "nut.fsd_hold", "nut.listen", "nut.low_battery_percent",
        "nut.low_battery_runtime", "nut.names", "nut.require_tls_for_login", "nut.stale_after", "nut.tls.cert_file",
        "nut.tls.key_file", "nut.users_file", "winpower.api_timeout", "winpower.base_url", "winpower.ca_file",
        "winpower.device_type", "winpower.devices_path", "winpower.login_path", "winpower.max_response_bytes",
        "winpower.page_concurrency", "winpower.page_size", "winpower.password", "winpower.password_file",
        "winpower.proxy",
        "winpower.refresh_threshold", "winpower.skip_ssl_verify", "winpower.timeout", "winpower.tls_fingerprint",
        "winpower.tls_server_name", "winpower.token_lifetime", "winpower.username",
    ]

    private static let hub: [Setting<HubSettings>] = [
        Setting(
            "hub.cluster",
            \.hub.cluster,
            .text,
            needsRestart: true,
            help: "Name of the cluster in the paths of the API"
        ),
        Setting(
            "hub.token",
            \.hub.token,
            .optional(.secret),
            sample: "change-me",
            rejectsEmpty: true,
            help: "Token that the hub requires for reports"
        ).weakened { old, new in
            old.hub.tokenSource != nil && new.hub.tokenSource == nil
        },
        Setting(
            "hub.token_file",
            \.hub.tokenFile,
            .optional(.path),
            sample: "/run/secrets/hub_token",
            file: .secret(of: \.hub.token),
            rejectsEmpty: true,
            help: "File with the token of the hub"
        ),
        Setting(
            "hub.tokens_file",
            \.hub.tokensFile,
            .optional(.path),
            sample: "/etc/winpower-hub/tokens",
            file: .readable,
            rejectsEmpty: true,
            help: "File with one token per sender: lines such as `node web-1 TOKEN` or `site hq TOKEN`"
        ).weakened { old, new in old.hub.tokensFile != nil && new.hub.tokensFile == nil },
        Setting(
            "hub.subject_metrics",
            \.hub.subjectMetrics,
            .integer(0...10_000),
            help: "Maximum number of UPSes and nodes with their own series on the hub's /metrics; 0 for none"
        ),
        Setting(
            "hub.host_names",
            \.hub.hostNames,
            .optional(.names),
            sample: "hub.example.com",
            rejectsEmpty: true,
            help: "Host names other than localhost that a hub without a token accepts, separated by commas"
        ).weakened { old, new in new.hub.hostNameList.contains { !old.hub.hostNameList.contains($0) } },
    ]
}
