// SPDX-License-Identifier: MIT

import WPLogging
package import WPSettings

/// The settings of the log. Programs that log use these rows, or some of them.
extension SettingGroup where Group == LoggingSettings {
    /// All rows.
    /// - Parameter modules: the names of the program's loggers.
    package func rows(modules: [String]) -> [Setting<Settings>] {
        [
            Setting(
                "logging.level",
                self[\.level],
                .choice,
                flag: "--log-level",
                help: "Minimum level"
            ),
            Setting(
                "logging.levels",
                self[\.moduleLevels],
                .moduleLevels(modules),
                flag: "--log-levels",
                sample: "http=debug,server=warn",
                help: "Minimum levels of individual modules, if they differ from logging.level"
            ),
            Setting(
                "logging.format",
                self[\.format],
                .choice,
                flag: "--log-format",
                help: "json for machines, console for people"
            ),
            Setting(
                "logging.output",
                self[\.output],
                .output,
                flag: "--log-output",
                help: "Destination of the log; a file is rotated"
            ),
            Setting(
                "logging.max_size",
                self[\.maxSizeMB],
                .integer(1...10_240),
                help: "Size in MB at which the log file is rotated"
            ),
            Setting(
                "logging.max_age",
                self[\.maxAgeDays],
                .integer(0...3650),
                help: "Number of days that rotated files are kept; 0 means forever"
            ),
            Setting(
                "logging.max_backups",
                self[\.maxBackups],
                .integer(0...1000),
                help: "Number of rotated files that are kept; 0 means all"
            ),
            Setting(
                "logging.compress",
                self[\.compress],
                .boolean,
                help: "Compress rotated files"
            ),
            Setting(
                "logging.enable_caller",
                self[\.enableCaller],
                .boolean,
                help: "Add the source location to each record"
            ),
            Setting(
                "logging.enable_stacktrace",
                self[\.enableStacktrace],
                .boolean,
                help: "Add a stack trace to errors"
            ),
        ]
    }
}
