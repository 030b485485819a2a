// SPDX-License-Identifier: MIT

/// `<program>_build_info`: the build, as labels of a constant 1.
public struct BuildInfoCollector: ImmediateCollector {
    private let families: [MetricFamily]

    /// Creates a collector.
    /// - Parameters:
    ///   - program: the prefix of the name, such as `winpower_exporter`.
    ///   - version: the release, such as `1.2.0`.
    ///   - revision: the commit; empty if unknown.
    ///   - swiftVersion: the compiler; empty if unknown.
    /// - Throws: ``MetricError`` if the program is not a valid prefix of a metric name.
    public init(program: String, version: String, revision: String, swiftVersion: String) throws(MetricError) {
        let descriptor = try MetricDescriptor(
            name: program + "_build_info",
            help: "A constant 1, labelled with the version, the revision and the Swift version of the build.",
            type: .info,
            labelNames: ["version", "revision", "swift_version"]
        )
        let labels = try LabelSet(["version": version, "revision": revision, "swift_version": swiftVersion])
        families = [MetricFamily(valid: descriptor, [Metric(labels: labels, value: 1)])]
    }

    /// The single family.
    public var descriptors: [MetricDescriptor] { families.map(\.descriptor) }

    /// The constant 1.
    public func collectNow() -> [MetricFamily] { families }
}
