// SPDX-License-Identifier: MIT

package import WPMetrics

/// The families of one or more collectors, assembled value by value, with node_exporter's names. Families with invalid
/// names and values with invalid labels are omitted; such names come only from kernel fields.
package struct HostFamilies: Sendable, Hashable {
    package private(set) var families: [MetricFamily] = []
    private var positions: [String: Int] = [:]

    var isEmpty: Bool { families.isEmpty }

    /// Adds a value to a family, which is created with its first value. Nil adds nothing.
    /// - Parameters:
    ///   - name: node_exporter's name of the family, without `node_`.
    ///   - type: nil for a counter if the name ends in `_total`, else a gauge.
    ///   - labels: alternating names and values.
    mutating func add(
        _ name: String,
        _ help: @autoclosure () -> String,
        type: MetricType? = nil,
        labels: [String] = [],
        _ value: Double?
    ) {
        let pairs = stride(from: 0, to: labels.count - 1, by: 2).map { Label(labels[$0], labels[$0 + 1]) }
        // lint: a label name may be a field of the kernel
        guard let value, let labels = try? LabelSet(pairs) else { return }
        let metric = Metric(labels: labels, value: value)
        if let position = positions[name] { return families[position].metrics.append(metric) }
        let type = type ?? (name.hasSuffix("_total") ? .counter : .gauge)
        // lint: a name may contain a field of the kernel
        guard let descriptor = try? MetricDescriptor(name: "node_" + name, help: help(), type: type) else { return }
        positions[name] = families.count
        families.append(MetricFamily(descriptor, [metric]))
    }

    /// Adds an integer to a family.
    mutating func add(
        _ name: String,
        _ help: @autoclosure () -> String,
        type: MetricType? = nil,
        labels: [String] = [],
        _ value: (some BinaryInteger)?
    ) {
        add(name, help(), type: type, labels: labels, value.map { Double($0) })
    }

    /// Adds the families of another collector. No two collectors have a common family.
    mutating func add(contentsOf other: HostFamilies) {
        for (name, position) in other.positions {
            let isNew = positions.updateValue(families.count + position, forKey: name) == nil
            precondition(isNew, "two collectors have the family \(name)")
        }
        families += other.families
    }
}

/// A sysfs file with one number, and the family that exposes it.
struct NumberFile {
    typealias Row = (file: String, name: String, help: String)

    let file, name, help: String
    /// The factor and divisor that convert the kernel's unit to the family's. A divisor is used if its inverse would
    /// not be exact.
    let factor, divisor: Double

    init(_ file: String, _ name: String, _ help: String, factor: Double = 1, divisor: Double = 1) {
        (self.file, self.name, self.help) = (file, name, help)
        (self.factor, self.divisor) = (factor, divisor)
    }

    /// Files of one directory.
    static func list(
        in directory: String? = nil,
        factor: Double = 1,
        _ files: [Row]
    ) -> [NumberFile] {
        let prefix = directory.map { $0 + "/" } ?? ""
        return files.map { NumberFile(prefix + $0.file, $0.name, $0.help, factor: factor) }
    }
}

extension HostFamilies {
    /// Adds the numbers of the files.
    /// - Parameters:
    ///   - prefix: the prefix of each family's name.
    ///   - contents: the files' contents, in the order of `files`; there may be more.
    ///   - number: parses a content; nil for an invalid number.
    mutating func add(
        _ files: [NumberFile],
        prefix: String,
        contents: some Sequence<String?>,
        labels: [String],
        number: (String) -> Double? = { UInt64($0).map { Double($0) } }
    ) {
        for (file, content) in zip(files, contents) {
            let value = content.flatMap(number).map { $0 * file.factor / file.divisor }
            add(prefix + file.name, file.help, labels: labels, value)
        }
    }
}
