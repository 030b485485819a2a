// SPDX-License-Identifier: MIT

/// What is logged, how and where to.
public struct LoggingConfiguration: Sendable, Hashable {
    /// How a record becomes a line.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// For people.
        case console
    }

    /// Where lines go.
    public enum Output: Sendable, Hashable, CustomStringConvertible {
        /// The process's standard output.
        case standardOutput
        /// The process's standard error.
        case standardError
        /// The file of this path, which is rotated.
        case file(String)

        /// Reads `stdout`, `stderr`, or else a path.
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
    package var level: LogLevel
    /// Other levels for single modules, by the names of ``Logger/named(_:)``.
    package var moduleLevels: [String: LogLevel]
    /// How a record becomes a line.
    package var format: Format
    /// Where lines go.
    package var output: Output
    /// The most mebibytes of a log file before it is rotated; 0 or less: no limit.
    package var maxSizeMB: Int
    /// After how many days a log file is rotated whatever its size, and a backup deleted; 0 or less: never.
    package var maxAgeDays: Int
    /// How many backups are kept; 0 or less: no limit.
    package var maxBackups: Int
    /// Whether backups are compressed by gzip.
    package var compress: Bool
    /// Whether records say where in the source they were logged.
    package var enableCaller: Bool
    /// Whether records of level error carry a stack trace.
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
        // A limit beyond what a file system or a calendar holds is no limit.
        LogRotation(
            maxBytes: (0...(Int.max >> 20)).contains(maxSizeMB) ? maxSizeMB << 20 : 0,
            maxAge: (0...1_000_000).contains(maxAgeDays) ? .seconds(maxAgeDays * 86_400) : .zero,
            maxBackups: maxBackups,
            compresses: compress
        )
    }
}
