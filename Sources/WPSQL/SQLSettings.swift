// SPDX-License-Identifier: MIT

package import WPConfig
package import WPQueries

/// The settings of the SQL exporter besides its databases, metrics and queries.
package struct SQLSettings: Sendable {
    /// The address to listen on.
    package var host = "0.0.0.0"
    /// The port to listen on.
    package var port = 8000
    /// The server's certificate, and what it asks of clients.
    package var tls = ServerTLSSettings()
    /// Who may scrape.
    package var auth = ServerAuthSettings()
    /// What is logged.
    package var logging = LoggingSettings()
    /// The time zone of cron, of sessions, and of timestamps without one; empty for UTC, and for sessions for the server's.
    package var timezone = ""
    /// What a NULL means where a metric does not say.
    package var onNull = QueryFile.NullPolicy.skip
    /// How long the last result of a failing query is shown.
    package var keep = Duration.seconds(300)

    /// All settings: the one place where they are declared.
    package static let table = SettingTable<SQLSettings>(
        prefix: "WPEXPORTER_SQL_",
        defaults: SQLSettings(),
        searchPaths: [
            "./sql.yaml", "./sql.yml", "/etc/winpower-exporter/sql.yaml", "~/.config/winpower-exporter/sql.yaml",
        ],
        sections: [
            SettingSection(
                "server",
                "The HTTP server that Prometheus scrapes",
                [
                    Setting(
                        "server.host",
                        \.host,
                        .text,
                        flag: "--host",
                        needsRestart: true,
                        help: "Address to listen on; 0.0.0.0 is all IPv4 interfaces, :: all interfaces"
                    ),
                    Setting(
                        "server.port",
                        \.port,
                        .integer(0...65535),
                        flag: "--port",
                        needsRestart: true,
                        help: "Port to listen on; 0 picks a free one"
                    ),
                ] + access.settings
            ),
            SettingSection(
                "logging",
                "What is logged, and where",
                SettingGroup(log: \SQLSettings.logging).mainRows
            ),
            SettingSection(
                "results",
                "What results mean",
                [
                    Setting(
                        "timezone",
                        \.timezone,
                        .text,
                        help: "Time zone of schedules, sessions and timestamps without one, such as Europe/Berlin"
                    ),
                    Setting(
                        "on_null",
                        \.onNull,
                        .choice,
                        help: "What a NULL means: skip leaves the sample out, zero is 0, nan is not a number"
                    ),
                    Setting(
                        "keep",
                        \.keep,
                        .duration(.zero ... .seconds(86_400)),
                        help:
                            "How long the last result of a failing query is shown, unless its metric has an expiration"
                    ),
                ]
            ),
        ],
        warnings: warnings
    ).besides(keys: queryKeys, tags: QueryFileReader.localTags).chapter("SETTINGS OF SQL")

    /// The server's certificate, and who may ask it.
    static let access = ServerAccess(host: \SQLSettings.host, tls: \.tls, auth: \.auth)

    @Sendable private static func warnings(
        _ settings: SQLSettings,
        _ origin: (SettingPlace<SQLSettings>) -> SettingOrigin
    ) -> [String] {
        access.warnings(settings) { place in "\(table[place].key) (\(origin(place)))" }
    }

    /// The top-level keys that say what to query.
    static let queryKeys: Set<String> = ["databases", "metrics", "queries", "builtin-metrics"]
}
