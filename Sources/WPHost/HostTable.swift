// SPDX-License-Identifier: MIT

/// One kind of value that only an exposition shows, such as the corrected errors of each memory controller: what
/// Prometheus calls a family.
package struct HostTable: Sendable, Hashable {
    /// How the values move.
    package enum Kind: Sendable, Hashable {
        /// They rise until the machine is restarted.
        case counter
        /// They rise and fall.
        case gauge
        /// The kernel does not say which.
        case untyped
    }

    /// A value of one device.
    package struct Row: Sendable, Hashable {
        /// Names and values in turn.
        package let labels: [String]
        package let value: Double
    }

    /// node_exporter's name of the family, without `node_`.
    package let name: String
    package let help: String
    package let kind: Kind
    package fileprivate(set) var rows: [Row]
}

/// Puts tables together, value by value.
struct HostTables {
    private(set) var tables: [HostTable] = []
    private var places: [String: Int] = [:]

    /// Adds a value to a table, which is made if it is the first; nil adds nothing.
    /// - Parameter labels: names and values in turn.
    mutating func add(
        _ name: String,
        _ help: @autoclosure () -> String,
        kind: HostTable.Kind = .gauge,
        labels: [String] = [],
        _ value: Double?
    ) {
        guard let value else { return }
        let row = HostTable.Row(labels: labels, value: value)
        if let place = places[name] {
            tables[place].rows.append(row)
        } else {
            places[name] = tables.count
            tables.append(HostTable(name: name, help: help(), kind: kind, rows: [row]))
        }
    }
}

/// A collector whose values only an exposition shows.
protocol TableCollector: HostCollector where Value == [HostTable] {}

extension TableCollector {
    static var part: HostPart<[HostTable]> { \HostSample.tables[Self.name] }
}
