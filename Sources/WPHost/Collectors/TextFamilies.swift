// SPDX-License-Identifier: MIT

import WPMetrics

/// The reason why a text file, or one of its families, is not exposed.
package struct TextFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file's path.
    package let path: String
    /// The reason.
    package let reason: String

    /// Path and reason.
    package var description: String { "\(path): \(reason)" }
}

/// The families of other programs' files, merged as node_exporter does.
///
/// A file that is not a valid exposition, or has timestamps, is omitted. Families with the same name in two files are
/// merged if type and help are the same, or one has no help; otherwise, that of the later file is omitted. A sample
/// with the same labels as one in an earlier file is also omitted. Families of the agent override those of files.
///
/// Names are the same in every format: OpenMetrics would add `_total` to the name of a counter, so a counter without it
/// is exposed with type unknown.
struct TextFamilies {
    /// More than a file of ``TextFile/maximumSize`` usually contains.
    private static let limits = ParserLimits(
        maximumSize: TextFile.maximumSize,
        maximumLineLength: 64 << 10,
        maximumLabels: 64,
        maximumFamilies: 10_000,
        maximumSamples: 100_000
    )

    /// The families of all files.
    let families: [MetricFamily]
    /// The times of the files, and whether they could be used.
    private(set) var status = HostFamilies()
    private(set) var faults: [TextFileFault] = []

    /// Parses and merges files.
    /// - Parameters:
    ///   - own: families of the agent.
    ///   - reserved: additional names that the agent uses.
    init(_ files: TextFiles, beside own: [MetricFamily], reserved: Set<String>) {
        var merge = Merge(own: reserved.union(own.flatMap(\.descriptor.claimedNames)))
        for file in files.files {
            do throws(TextFileFault) {
                for family in try Self.parse(file) {
                    if let reason = merge.add(family, from: file.path) {
                        faults.append(TextFileFault(path: file.path, reason: reason))
                    }
                }
                let help = "When a text file was last changed."
                status.add("textfile_mtime_seconds", help, labels: ["file", file.path], file.modified)
            } catch {
                faults.append(error)
            }
        }
        let hasFailed = files.hasFailures || !faults.isEmpty
        status.add("textfile_scrape_error", "Whether a text file could not be used.", hasFailed ? 1 : 0)
        families = merge.families
    }

    private static func parse(_ file: TextFile) throws(TextFileFault) -> [MetricFamily] {
        let families: [MetricFamily]
        do throws(ExpositionParseError) {
            families = try ExpositionFormat.text.parse(file.content, limits: limits)
        } catch {
            throw TextFileFault(path: file.path, reason: error.description)
        }
        if families.contains(where: { $0.metrics.contains { $0.timestamp != nil } }) {
            let reason = "it has timestamps, which would make old values look new"
            throw TextFileFault(path: file.path, reason: reason)
        }
        return families.map(keepingName)
    }

    private static func keepingName(_ family: MetricFamily) -> MetricFamily {
        guard family.type == .counter, !family.name.hasSuffix("_total"),
            // lint: names in text files are data from outside
            let descriptor = try? MetricDescriptor(name: family.name, help: family.help, type: .unknown)
        else { return family }
        return MetricFamily(descriptor, family.metrics)
    }

    /// Merges the families of several files.
    private struct Merge {
        private struct Member {
            var family: MetricFamily
            var paths: [String]
            var labels: Set<LabelSet>
        }

        let own: Set<String>
        private var members: [String: Member] = [:]
        /// The family that uses each sample name.
        private var owners: [String: String] = [:]
        private var order: [String] = []

        init(own: Set<String>) {
            self.own = own.union([
                "node_textfile_mtime_seconds", "node_textfile_scrape_error", "node_time_seconds",
                "node_scrape_collector_duration_seconds", "node_scrape_collector_success",
            ])
        }

        /// Whether the agent uses one of these names, or may with other settings.
        private func isTaken(_ names: [String]) -> Bool {
            names.contains { own.contains($0) || $0.hasPrefix("winpower_node_") }
        }

        var families: [MetricFamily] {
            order.compactMap { name in
                guard let member = members[name] else { return nil }
                guard member.family.help.isEmpty else { return member.family }
                let help = "Metric read from \(member.paths.joined(separator: ", "))"
                return Self.family(member.family, help: help, member.family.metrics)
            }
        }

        /// Adds a family.
        /// - Returns: the reason why all or part of it is omitted; nil if nothing is.
        mutating func add(_ family: MetricFamily, from path: String) -> String? {
            let names = family.descriptor.claimedNames
            guard !isTaken(names) else { return "\(family.name) is a family of the agent" }
            guard var member = members[family.name] else {
                if let owner = names.compactMap({ owners[$0] }).first, let first = members[owner]?.paths.first {
                    return "\(family.name) has a name that \(owner) of \(first) uses"
                }
                for name in names { owners[name] = family.name }
                order.append(family.name)
                members[family.name] = Member(
                    family: family,
                    paths: [path],
                    labels: Set(family.metrics.map(\.labels))
                )
                return nil
            }
            let first = member.paths[0]
            guard member.family.type == family.type else {
                return "\(family.name) has a different type in \(first)"
            }
            guard family.help.isEmpty || member.family.help.isEmpty || family.help == member.family.help else {
                return "\(family.name) has a different help text in \(first)"
            }
            let new = family.metrics.filter { member.labels.insert($0.labels).inserted }
            let help = member.family.help.isEmpty ? family.help : member.family.help
            if let merged = Self.family(member.family, help: help, member.family.metrics + new) {
                member.family = merged
            }
            member.paths.append(path)
            members[family.name] = member
            return new.count == family.metrics.count ? nil : "\(family.name) repeats labels of samples in \(first)"
        }

        private static func family(_ family: MetricFamily, help: String, _ metrics: [Metric]) -> MetricFamily? {
            // lint: names in text files are data from outside
            let descriptor = try? MetricDescriptor(name: family.name, help: help, type: family.type)
            return descriptor.map { MetricFamily($0, metrics) }
        }
    }
}
