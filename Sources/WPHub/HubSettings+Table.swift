// SPDX-License-Identifier: MIT

import WPConfig
import WPProgram
public import WPSettings

extension HubSettings {
    /// The settings of a hub, declared once for all uses. Settings of a server are accepted and ignored, so that both
    /// may share a file and variables.
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
    ).ignoring(ExporterSettings.table.all.map(\.key)).chapter("SETTINGS OF HUB")

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
