// SPDX-License-Identifier: MIT

/// The settings of the history and of the hub.
extension ExporterSettings {
    static let history: [Setting<ExporterSettings>] = [
        Setting(
            "history.enabled",
            \.history.enabled,
            .boolean,
            needsRestart: true,
            help: "Keep a history of the UPSes in the data directory, for the API; a hub always keeps one"
        ),
        Setting(
            "history.interval",
            \.history.interval,
            .duration(.seconds(1) ... .seconds(86_400)),
            needsRestart: true,
            help: "Time that one point of the history stands for"
        ),
        Setting(
            "history.retention",
            \.history.retention,
            .duration(.seconds(60) ... .seconds(3660 * 86_400)),
            needsRestart: true,
            help: "How long the history is kept"
        ),
    ]

    static let hub: [Setting<ExporterSettings>] = [
        Setting(
            "hub.cluster",
            \.hub.cluster,
            .text,
            needsRestart: true,
            help: "Name of the cluster in the paths of the API"
        ),
        Setting(
            "hub.url",
            \.hub.url,
            .optional(.text),
            sample: "http://hub.example.com:8082",
            needsRestart: true,
            help: "Hub that a server sends its readings to"
        ),
        Setting(
            "hub.site",
            \.hub.site,
            .optional(.text),
            sample: "hq",
            needsRestart: true,
            help: "Place that a server reports from, where a hub has several"
        ),
        Setting(
            "hub.token",
            \.hub.token,
            .optional(.secret),
            sample: "change-me",
            needsRestart: true,
            refusesEmpty: true,
            help: "Token that a report must give to a hub, and that a server gives"
        ),
        Setting(
            "hub.token_file",
            \.hub.tokenFile,
            .optional(.path),
            sample: "/run/secrets/hub_token",
            file: .secret(of: \.hub.token),
            needsRestart: true,
            refusesEmpty: true,
            help: "File that holds the token of the hub"
        ),
    ]
}
