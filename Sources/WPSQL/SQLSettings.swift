// SPDX-License-Identifier: MIT

import WPLogging
package import WPProgram
package import WPSettings

/// The settings of the SQL exporter, including its databases, metrics and queries.
package struct SQLSettings: ProgramSettings {
    /// `server.*`
    package var server = ServerSettings(port: 8000)
    /// `logging.*`
    package var logging = LoggingSettings()
    /// The time zone of cron schedules, sessions and timestamps without one. If empty, sessions use the server's, and
    /// everything else uses UTC.
    package var timezone = ""
    /// The meaning of NULL for metrics that do not specify it.
    package var onNull = QueryFile.NullPolicy.skip
    /// How long the last result of a failing query is kept.
    package var keep = Duration.seconds(300)
    /// The rest of the file: databases, metrics and queries.
    package var queries = QueryFile()
    /// The time zone rules of ``timezone``.
    package var zone = TimeZoneRules.utc

    /// The program's own log modules.
    package static var logModules: [String] { ["postgres", "queries"] }

    /// The settings, declared once for all uses.
    package static let table = SettingTable<SQLSettings>(
        prefix: "WPEXPORTER_SQL_",
        defaults: SQLSettings(),
        searchPaths: [
            "./sql.yaml", "./sql.yml", "/etc/winpower-exporter/sql.yaml", "~/.config/winpower-exporter/sql.yaml",
        ],
        server: \.server,
        logging: \.logging,
        sections: [
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
                        help: "Value for NULL: skip omits the sample, zero is 0, nan is NaN"
                    ),
                    Setting(
                        "keep",
                        \.keep,
                        .duration(.zero ... .seconds(86_400)),
                        help:
                            "How long the last result of a failing query is shown, unless its metric has an expiration"
                    ),
                ]
            )
        ]
    ).besides(keys: queryKeys, tags: QueryFileReader.localTags).chapter("SETTINGS OF SQL")

    /// The top-level keys of queries.
    static let queryKeys: Set<String> = ["databases", "metrics", "queries", "builtin-metrics"]
}
