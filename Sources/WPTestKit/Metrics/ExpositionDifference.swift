// SPDX-License-Identifier: MIT

public import WPMetrics

/// The difference between an exposition and the expected one.
public struct ExpositionDifference: Sendable, CustomStringConvertible {
    /// Lines that were expected but not found, in order.
    public let missing: [String]
    /// Lines that were found but not expected, in order.
    public let unexpected: [String]
    /// The failures of the gather.
    public let failures: [CollectionFailure]
    /// The difference for display: missing lines marked with `-` and unexpected ones with `+`, each below the metadata
    /// of its family. Equal lines are omitted.
    public let description: String

    /// The lines of an exposition.
    static func lines(_ exposition: [UInt8]) -> [Substring] {
        String(decoding: exposition, as: UTF8.self).split(separator: "\n")
    }

    /// Compares lines; nil if they are equal.
    init?(expected: [Substring], found: [Substring], failures: [CollectionFailure]) {
        let changes = found.difference(from: expected)
        guard !changes.isEmpty || !failures.isEmpty else { return nil }
        var removed: [Int: Substring] = [:]
        var inserted: [Int: Substring] = [:]
        for change in changes {
            switch change {
            case .remove(let offset, let line, _): removed[offset] = line
            case .insert(let offset, let line, _): inserted[offset] = line
            }
        }
        missing = expected.indices.compactMap { removed[$0].map(String.init) }
        unexpected = found.indices.compactMap { inserted[$0].map(String.init) }
        self.failures = failures
        description =
            (failures.map { "! \($0)" } + Self.merge(expected, found, removed, inserted)).joined(separator: "\n")
    }

    /// Merges both sequences, omitting samples and families that are equal.
    private static func merge(
        _ expected: [Substring],
        _ found: [Substring],
        _ removed: [Int: Substring],
        _ inserted: [Int: Substring]
    ) -> [String] {
        var lines: [String] = []
        var heading: [String] = []
        func show(_ line: String) {
            lines += heading
            heading = []
            lines.append(line)
        }
        var (left, right) = (0, 0)
        while left < expected.count || right < found.count {
            if let line = removed[left] {
                show("- \(line)")
                left += 1
            } else if let line = inserted[right] {
                show("+ \(line)")
                right += 1
            } else {
                let line = expected[left]
                if line.hasPrefix("#") {
                    // The metadata of a family replaces that of the previous family, which had no difference.
                    if left == 0 || !expected[left - 1].hasPrefix("#") { heading = [] }
                    heading.append("  \(line)")
                }
                left += 1
                right += 1
            }
        }
        return lines
    }
}
