// SPDX-License-Identifier: MIT

/// The names of a program in help, logs, pages and metrics.
public struct ProgramDescription: Sendable {
    /// The name on the command line, such as `sensor`.
    public var name: String
    /// The name in logs and pages, such as `Sensor exporter`.
    public var title: String
    /// The first word of the log records about start and shutdown; ``title`` by default.
    package var logName: String
    /// What it does: a phrase without a full stop.
    public var summary: String
    /// A description, one paragraph per element.
    public var discussion: [String]
    /// The release, such as `1.2.0`.
    public var version: String
    /// The source revision; empty if unknown.
    public var revision: String
    /// The prefix of the program's metric names, without the last underscore.
    public var metricPrefix: String

    /// Describes a program.
    /// - Parameters:
    ///   - name: the name on the command line.
    ///   - title: the name in logs and pages; nil for `name`.
    ///   - summary: what it does: a phrase without a full stop.
    ///   - discussion: a description, one paragraph per element.
    ///   - version: the release.
    ///   - revision: the source revision; empty if unknown.
    ///   - metricPrefix: the prefix of its metric names; nil for `name` with underscores for dashes.
    public init(
        _ name: String,
        title: String? = nil,
        summary: String,
        discussion: [String] = [],
        version: String,
        revision: String = "",
        metricPrefix: String? = nil
    ) {
        self.name = name
        self.title = title ?? name
        logName = title ?? name
        self.summary = summary
        self.discussion = discussion
        self.version = version
        self.revision = revision
        self.metricPrefix = metricPrefix ?? String(name.map { $0 == "-" ? "_" : $0 })
    }

    /// A program of this package.
    /// - Parameter program: its component of the metric names: `winpower_<program>_`.
    package init(
        own name: String,
        title: String,
        logName: String,
        summary: String,
        discussion: [String] = [],
        metrics program: String
    ) {
        self.init(
            name,
            title: title,
            summary: summary,
            discussion: discussion,
            version: Version.number,
            revision: Version.revision,
            metricPrefix: "winpower_" + program
        )
        self.logName = logName
    }
}
