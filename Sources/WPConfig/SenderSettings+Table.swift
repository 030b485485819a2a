// SPDX-License-Identifier: MIT

import WPProgram
import WPSettings

extension ExporterSettings {
    static let history: [Setting<ExporterSettings>] =
        [
            Setting(
                "history.enabled",
                \.history.enabled,
                .boolean,
                needsRestart: true,
                help: "Keep a history of the UPSes in the data directory, for the API; a hub always keeps one"
            )
        ] + SettingGroup(root: \ExporterSettings.history).rows

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
            .optional(.hub),
            sample: "http://hub.example.com:8082",
            help: "Hub that a server sends its readings to"
        ),
        Setting(
            "hub.ca_file",
            \.hub.caFile,
            .optional(.path),
            defaultNote: "the system's authorities",
            sample: "/etc/winpower-exporter/hub-ca.pem",
            file: .readable,
            help: "PEM file of the CA certificates that are trusted for the hub"
        ),
        Setting(
            "hub.proxy",
            \.hub.proxy,
            .proxy,
            help: "HTTP proxy to the hub: none; environment, for http_proxy, https_proxy and no_proxy; "
                + "or its address"
        ),
        Setting(
            "hub.site",
            \.hub.site,
            .optional(.text),
            sample: "hq",
            help: "Name of this server's site on the hub"
        ),
        Setting(
            "hub.token",
            \.hub.token,
            .optional(.secret),
            sample: "change-me",
            rejectsEmpty: true,
            help: "Token that the hub requires for reports, and that a server sends"
        ),
        Setting(
            "hub.token_file",
            \.hub.tokenFile,
            .optional(.path),
            sample: "/run/secrets/hub_token",
            file: .secret(of: \.hub.token),
            rejectsEmpty: true,
            help: "File with the token of the hub"
        ),
    ]
}
