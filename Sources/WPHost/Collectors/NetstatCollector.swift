// SPDX-License-Identifier: MIT

import WPMetrics

/// Reads the counters of the network protocols selected by a pattern: `/proc/net/netstat`, `/proc/net/snmp` and
/// `/proc/net/snmp6`. A counter is named after its protocol, such as `Tcp_CurrEstab`.
struct NetstatCollector: HostCollector {
    static let name = "netstat"

    private let filter: NameFilter

    init(_ configuration: HostConfiguration) {
        filter = NameFilter(configuration.includedNetstatFields)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        var isRead = false
        for file in ["net/netstat", "net/snmp"] {
            var damaged: [String] = []
            let outcome: Void? = context.read(context.network, file) { bytes in
                var lines = bytes.lines.filter { !$0.trimmed.isEmpty }[...]
                while let headings = lines.popFirst() {
                    guard let values = lines.popFirst(), read(headings, values, &families) else {
                        damaged.append(headings.string)
                        continue
                    }
                }
            }
            isRead = isRead || outcome != nil
            for line in damaged { context.malformed(context.proc, file, line) }
        }
        // The file does not exist without IPv6.
        let outcome: Void? = context.read(context.network, "net/snmp6") { bytes in
            for line in bytes.lines {
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
    private func read(_ headings: Bytes, _ values: Bytes, _ families: inout HostFamilies) -> Bool {
        let (names, numbers) = (headings.fields, values.fields)
        guard let title = names.first?.string, title.count > 1, title.hasSuffix(":"), names.count == numbers.count,
            numbers[0].string == title
        else { return false }
        var isValid = true
        for (heading, number) in zip(names, numbers).dropFirst() {
            let name = title.dropLast() + "_" + heading.string
            guard filter.matches(name) else { continue }
            let value = number.decimal
            Self.add(name, value, &families)
            isValid = isValid && value != nil
        }
        return isValid
    }

    private static func add(_ name: String, _ value: Double?, _ families: inout HostFamilies) {
        families.add("netstat_" + name, "The counter \(name) of the network protocols.", type: .unknown, value)
    }
}
