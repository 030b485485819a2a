// SPDX-License-Identifier: MIT

package import WPMetrics

/// A family with its values in one sample, such as the corrected errors of each memory controller.
package struct HostFamily: Sendable, Hashable {
    /// A value of one device.
    package struct Row: Sendable, Hashable {
        /// Alternating names and values.
        package let labels: [String]
        package let value: Double
    }

    /// node_exporter's name of the family, without `node_`.
    package let name: String
    package let help: String
    package let type: MetricType
    package fileprivate(set) var rows: [Row]
}

/// The families of one or more collectors, assembled value by value.
package struct HostFamilies: Sendable, Hashable {
    private(set) var families: [HostFamily] = []
    private var positions: [String: Int] = [:]

    var isEmpty: Bool { families.isEmpty }

    /// Adds a value to a family, which the first value creates; nil adds nothing.
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
        guard let value else { return }
        let row = HostFamily.Row(labels: labels, value: value)
        if let position = positions[name] {
            families[position].rows.append(row)
        } else {
            positions[name] = families.count
            let type = type ?? (name.hasSuffix("_total") ? .counter : .gauge)
            families.append(HostFamily(name: name, help: help(), type: type, rows: [row]))
        }
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
        for family in other.families {
            precondition(positions[family.name] == nil, "two collectors have the family \(family.name)")
            positions[family.name] = families.count
            families.append(family)
        }
    }
}

/// A sysfs file with one number, and the family that exposes it.
struct NumberFile {
    let file, name, help: String
    /// From the kernel's unit to the family's. A divisor is exact if its inverse is not.
    let factor, divisor: Double

    init(_ file: String, _ name: String, _ help: String, factor: Double = 1, divisor: Double = 1) {
        (self.file, self.name, self.help) = (file, name, help)
        (self.factor, self.divisor) = (factor, divisor)
    }

    /// Files of one directory.
    static func list(
        in directory: String,
        factor: Double = 1,
        _ files: [(file: String, name: String, help: String)]
    ) -> [NumberFile] {
        files.map { NumberFile("\(directory)/\($0.file)", $0.name, $0.help, factor: factor) }
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
