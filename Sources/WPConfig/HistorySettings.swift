// SPDX-License-Identifier: MIT

public import WPCore
package import WPProgram
package import WPSettings

/// The history: `history.*`.
public struct HistorySettings: Sendable, Hashable {
    /// Whether the server keeps a history of its UPSes.
    package var enabled = true
    /// The length of a bucket.
    public var interval: Duration = .seconds(300)
    /// How long buckets are kept.
    public var retention: Duration = .seconds(30 * 86_400)
    /// The URL of the database that stores the history, including its password; nil for the data directory.
    public var url: Secret?
    /// The file that contains the URL.
    public var urlFile: String?

    /// The defaults.
    package init() {}

    /// The source of the URL; nil if there is none.
    package var urlSource: SecretSource? { SecretSource(value: url, file: urlFile) }
}

extension SettingGroup where Group == HistorySettings {
    /// The rows of `history.*` except for the one that disables the history.
    package var rows: [Setting<Settings>] {
        [
            Setting(
                "history.interval",
                self[\.interval],
                .duration(.seconds(1) ... .seconds(86_400)),
                needsRestart: true,
                help: "Time span of one point of the history"
            ),
            Setting(
                "history.retention",
                self[\.retention],
                .retention,
                needsRestart: true,
                help: "Retention of the history"
            ),
            Setting(
                "history.url",
                self[\.url],
                .optional(.secret),
                sample: "postgresql://history:change-me@db.example.com/history",
                needsRestart: true,
                rejectsEmpty: true,
                help:
                    "PostgreSQL database that keeps the history in place of the data directory; several hubs may share one"
            ),
            Setting(
                "history.url_file",
                self[\.urlFile],
                .optional(.path),
                sample: "/run/secrets/history_url",
                file: .secret(of: self[\.url]),
                needsRestart: true,
                rejectsEmpty: true,
                help: "File with the URL of the history's database"
            ),
        ]
    }
}

extension SettingFormat where Value == Duration {
    /// A retention period: days, such as `30d`, or a duration, from one minute to ten years.
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
            guard let days = Int64(digits: digits), days <= 3660, range.contains(.seconds(days * day)) else {
                throw SettingMismatch()
            }
            return .seconds(days * day)
        } text: { value in
            let (seconds, attoseconds) = value.components
            return attoseconds == 0 && seconds > 0 && seconds % day == 0 ? "\(seconds / day)d" : plain.text(value)
        }
    }
}
