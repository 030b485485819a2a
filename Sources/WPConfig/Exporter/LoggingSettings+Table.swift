// SPDX-License-Identifier: MIT

/// The settings of the log.
extension ExporterSettings {
    static let logging: [Setting<ExporterSettings>] = [
        Setting(
            "logging.level",
            \.logging.level,
            .choice,
            flag: "--log-level",
            help: "Minimum level"
        ),
        Setting(
            "logging.levels",
            \.logging.levels,
            .moduleLevels,
            flag: "--log-levels",
            sample: "client=debug,server=warn",
            help: "Minimum levels of single modules of the program, where they differ from logging.level"
        ),
        Setting(
            "logging.format",
            \.logging.format,
            .choice,
            flag: "--log-format",
            help: "json for machines, console for people"
        ),
        Setting(
            "logging.output",
            \.logging.output,
            .output,
            flag: "--log-output",
            help: "Where the log goes; a file is rotated"
        ),
        Setting(
            "logging.max_size",
            \.logging.maxSize,
            .integer(1...10_240),
            help: "Size in MB at which a log file is rotated"
        ),
        Setting(
            "logging.max_age",
            \.logging.maxAge,
            .integer(0...3650),
            help: "Number of days that a rotated file is kept; 0 is forever"
        ),
        Setting(
            "logging.max_backups",
            \.logging.maxBackups,
            .integer(0...1000),
            help: "Number of rotated files that are kept; 0 is all"
        ),
        Setting(
            "logging.compress",
            \.logging.compress,
            .boolean,
            help: "Compress rotated files"
        ),
        Setting(
            "logging.enable_caller",
            \.logging.enableCaller,
            .boolean,
            help: "Name the line of code in each record"
        ),
        Setting(
            "logging.enable_stacktrace",
            \.logging.enableStacktrace,
            .boolean,
            help: "Add a stack trace to errors"
        ),
    ]
}
