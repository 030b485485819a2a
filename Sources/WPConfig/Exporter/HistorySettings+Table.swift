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
            .retention,
            needsRestart: true,
            help: "How long the history is kept"
        ),
        Setting(
            "history.url",
            \.history.url,
            .optional(.secret),
            sample: "postgresql://history:change-me@db.example.com/history",
            needsRestart: true,
            refusesEmpty: true,
            help:
                "PostgreSQL database that keeps the history in place of the data directory; several hubs may share one"
        ),
        Setting(
            "history.url_file",
            \.history.urlFile,
            .optional(.path),
            sample: "/run/secrets/history_url",
            file: .secret(of: \.history.url),
            needsRestart: true,
            refusesEmpty: true,
            help: "File that holds the address of the history's database"
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
            help: "PEM file of the certificate authorities that a hub's certificate may be of"
        ),
        Setting(
            "hub.proxy",
            \.hub.proxy,
            .proxy,
            help: "HTTP proxy on the way to the hub: none; environment, for http_proxy, https_proxy and no_proxy; "
                + "or its address"
        ),
        Setting(
            "hub.site",
            \.hub.site,
            .optional(.text),
            sample: "hq",
            help: "Place that a server reports from, where a hub has several"
        ),
        Setting(
            "hub.token",
            \.hub.token,
            .optional(.secret),
            sample: "change-me",
            refusesEmpty: true,
            help: "Token that a report must give to a hub, and that a server gives"
        ).weakened { old, new in
            // A server that reports to a hub gives the token and asks for none.
            new.hub.url == nil && old.hub.tokenSource != nil && new.hub.tokenSource == nil
        },
        Setting(
            "hub.token_file",
            \.hub.tokenFile,
            .optional(.path),
            sample: "/run/secrets/hub_token",
            file: .secret(of: \.hub.token),
            refusesEmpty: true,
            help: "File that holds the token of the hub"
        ),
        Setting(
            "hub.tokens_file",
            \.hub.tokensFile,
            .optional(.path),
            sample: "/etc/winpower-hub/tokens",
            file: .readable,
            refusesEmpty: true,
            help: "File of a hub with a token per sender: lines such as `node web-1 TOKEN` or `site hq TOKEN`"
        ).weakened { old, new in old.hub.tokensFile != nil && new.hub.tokensFile == nil },
        Setting(
            "hub.subject_metrics",
            \.hub.subjectMetrics,
            .integer(0...10_000),
            help: "How many UPSes and nodes a hub shows on /metrics with families of their own; 0 shows none"
        ),
        Setting(
            "hub.host_names",
            \.hub.hostNames,
            .optional(.names),
            sample: "hub.example.com",
            refusesEmpty: true,
            help: "Names by which a hub without a token may be addressed besides localhost, separated by commas"
        ).weakened { old, new in new.hub.hostNameList.contains { !old.hub.hostNameList.contains($0) } },
    ]
}

extension SettingFormat where Value == Duration {
    /// How long something is kept: days, such as `30d`, or a duration, from a minute to ten years.
    static var retention: Self {
        let range: ClosedRange<Duration> = .seconds(60) ... .seconds(3660 * 86_400)
        let day: Int64 = 86_400
        let plain = Self.duration(range)
        let type = CustomSettingType(
            expectation: "a time from 1m to 3660d, such as 30d or 12h",
            summary: "time, 1m to 3660d",
            placeholder: "TIME"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> Duration in
            guard text.hasSuffix("d") else { return try plain.parse(text) }
            let digits = text.dropLast()
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let days = Int64(digits),
                days <= 3660, range.contains(.seconds(days * day))
            else { throw SettingMismatch() }
            return .seconds(days * day)
        } text: { value in
            let (seconds, attoseconds) = value.components
            return attoseconds == 0 && seconds > 0 && seconds % day == 0 ? "\(seconds / day)d" : plain.text(value)
        }
    }
}
