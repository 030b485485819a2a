// SPDX-License-Identifier: MIT

/// The level, format and destination of logs.
public struct LoggingConfiguration: Sendable, Hashable {
    /// The format of a line.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// Human-readable text.
        case console
    }

    /// The destination of lines.
    public enum Output: Sendable, Hashable, CustomStringConvertible {
        /// The process's standard output.
        case standardOutput
        /// The process's standard error.
        case standardError
        /// The file at this path, with rotation.
        case file(String)

        /// Parses `stdout`, `stderr`, or else a path.
        public init(_ text: String) {
            switch text {
            case "stdout": self = .standardOutput
            case "stderr": self = .standardError
            default: self = .file(text)
            }
        }

        /// `stdout`, `stderr` or the path.
        public var description: String {
            switch self {
            case .standardOutput: "stdout"
            case .standardError: "stderr"
            case .file(let path): path
            }
        }
    }

    /// The minimum level that is logged.
    public var level: LogLevel
    /// The levels of individual modules, by the names of ``Logger/named(_:)``.
    public var moduleLevels: [String: LogLevel]
    /// The format of a line.
    public var format: Format
    /// The destination of lines.
    public var output: Output
    /// The maximum size of a log file in mebibytes before it is rotated; 0 or less: no limit.
    package var maxSizeMB: Int
    /// The age in days at which a log file is rotated and a backup is deleted; 0 or less: never.
    package var maxAgeDays: Int
    /// The maximum number of backups; 0 or less: no limit.
    package var maxBackups: Int
    /// Whether backups are compressed with gzip.
    package var compress: Bool
    /// Whether records contain the source location.
    package var enableCaller: Bool
    /// Whether records of level error contain a stack trace.
    package var enableStacktrace: Bool

    /// Creates a configuration.
    public init(
        level: LogLevel = .info,
        moduleLevels: [String: LogLevel] = [:],
        format: Format = .json,
        output: Output = .standardOutput,
        maxSizeMB: Int = 100,
        maxAgeDays: Int = 7,
        maxBackups: Int = 3,
        compress: Bool = true,
        enableCaller: Bool = false,
        enableStacktrace: Bool = false
    ) {
        self.level = level
        self.moduleLevels = moduleLevels
        self.format = format
        self.output = output
        self.maxSizeMB = maxSizeMB
        self.maxAgeDays = maxAgeDays
        self.maxBackups = maxBackups
        self.compress = compress
        self.enableCaller = enableCaller
        self.enableStacktrace = enableStacktrace
    }

    var rotation: LogRotation {
        // Limits beyond the range of file systems and calendars are treated as no limit.
        LogRotation(
            maxBytes: (0...(Int.max >> 20)).contains(maxSizeMB) ? maxSizeMB << 20 : 0,
            maxAge: (0...1_000_000).contains(maxAgeDays) ? .seconds(maxAgeDays * 86_400) : .zero,
            maxBackups: maxBackups,
            compresses: compress
        )
    }
}
