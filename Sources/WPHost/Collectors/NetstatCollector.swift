// SPDX-License-Identifier: MIT

import WPMetrics

/// Reads the counters of the network protocols selected by a pattern: `/proc/net/netstat`, `/proc/net/snmp` and
/// `/proc/net/snmp6`. A counter is named after its protocol, such as `Tcp_CurrEstab`.
struct NetstatCollector: HostCollector {
    static let name = "netstat"

    /// The selected columns of a protocol's line, cached as long as its headings are the same.
    private struct Plan {
        let headings: [UInt8]
        let columns: [(index: Int, name: String)]
        let count: Int
    }

    private let filter: NameFilter
    private var plans: [String: Plan] = [:]

    init(_ configuration: HostConfiguration) {
        filter = NameFilter(configuration.includedNetstatFields)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        var isRead = false
        for file in ["net/netstat", "net/snmp"] {
            var damaged: [String] = []
            let outcome: Void? = context.readNetwork(file) { bytes in
                var scanner = ByteScanner(bytes)
                while let headings = scanner.line() {
                    if headings.trimmed.isEmpty { continue }
                    guard let values = scanner.line(), read(headings, values, &families) else {
                        damaged.append(headings.string)
                        continue
                    }
                }
            }
            isRead = isRead || outcome != nil
            for line in damaged { context.malformed(context.proc, file, line) }
        }
        // Absent without IPv6.
        let outcome: Void? = context.readNetwork("net/snmp6") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                guard let field = fields.field(), let six = field.firstIndex(of: UInt8(ascii: "6")) else { continue }
                let name = Bytes(rebasing: field[...six]).string + "_" + field.dropping(six + 1).string
                guard filter.matches(name) else { continue }
                Self.add(name, fields.field()?.decimal, &families)
            }
        }
        return isRead || outcome != nil ? families : nil
    }

    /// Reads a line of headings and the line of its values, both of which begin with the protocol; false if they do not
    /// match.
    private mutating func read(_ headings: Bytes, _ values: Bytes, _ families: inout HostFamilies) -> Bool {
        var fields = ByteScanner(values)
        guard let title = fields.field(), title.count > 1, title.last == UInt8(ascii: ":"),
            let plan = plan(headings, title)
        else { return false }
        var numbers: [Bytes] = []
        numbers.reserveCapacity(plan.count)
        while let field = fields.field() { numbers.append(field) }
        guard numbers.count == plan.count else { return false }
        var isSound = true
        for column in plan.columns {
            let value = numbers[column.index].decimal
            Self.add(column.name, value, &families)
            isSound = isSound && value != nil
        }
        return isSound
    }

    /// The selected columns of a protocol's line; nil for headings of another protocol.
    private mutating func plan(_ headings: Bytes, _ title: Bytes) -> Plan? {
        let name = Bytes(rebasing: title.dropLast()).string
        if let known = plans[name], known.headings.elementsEqual(headings) { return known }
        var fields = ByteScanner(headings)
        guard let first = fields.field(), first.elementsEqual(title) else { return nil }
        var columns: [(Int, String)] = []
        var count = 0
        while let field = fields.field() {
            let full = name + "_" + field.string
            if filter.matches(full) { columns.append((count, full)) }
            count += 1
        }
        let plan = Plan(headings: Array(headings), columns: columns, count: count)
        plans[name] = plan
        return plan
    }

    private static func add(_ name: String, _ value: Double?, _ families: inout HostFamilies) {
        families.add("netstat_" + name, "The counter \(name) of the network protocols.", type: .unknown, value)
    }
}
