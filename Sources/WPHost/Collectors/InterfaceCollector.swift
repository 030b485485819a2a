// SPDX-License-Identifier: MIT

/// What sysfs says of one network interface.
package struct InterfaceAttributes: Sendable, Hashable {
    /// A number. The raw value is the file's name (Documentation/ABI/testing/sysfs-class-net).
    package enum Number: String, Sendable, CaseIterable {
        case addressAssignType = "addr_assign_type"
        case carrier
        case carrierChanges = "carrier_changes"
        case carrierUps = "carrier_up_count"
        case carrierDowns = "carrier_down_count"
        case deviceID = "dev_id"
        case dormant
        case flags
        case index = "ifindex"
        case link = "iflink"
        case linkMode = "link_mode"
        case mtu
        case nameAssignType = "name_assign_type"
        case group = "netdev_group"
        /// In Mbit/s; absent when the driver does not know it.
        case speed
        case queueLength = "tx_queue_len"
        case protocolType = "type"
        /// Packets that no protocol wanted.
        case receivedWithoutHandler = "statistics/rx_nohandler"
    }

    /// A text. The raw value is the file's name.
    package enum Text: String, Sendable, CaseIterable {
        case address, broadcast, duplex, operstate, ifalias
    }

    package let device: String
    let numbers: [Int64?]
    let texts: [String?]

    /// A number; nil when the driver does not have it.
    package subscript(number: Number) -> Int64? { Number.allCases.firstIndex(of: number).flatMap { numbers[$0] } }

    /// A text; nil when the driver does not have it.
    package subscript(text: Text) -> String? { Text.allCases.firstIndex(of: text).flatMap { texts[$0] } }

    /// Whether the interface is up, as an administrator set it (`IFF_UP`); nil when that is not known.
    package var isEnabled: Bool? { self[.flags].map { $0 & 1 != 0 } }
}

/// Reads `/sys/class/net`.
struct InterfaceCollector: HostCollector {
    static let name = HostCollectorName.netclass
    static let part: HostPart<[InterfaceAttributes]> = \.interfaces

    private static let files =
        InterfaceAttributes.Number.allCases.map(\.rawValue) + InterfaceAttributes.Text.allCases.map(\.rawValue)
    private var excluded: NameFilter

    init(excluded: NamePattern?) {
        self.excluded = NameFilter(excluded)
    }

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceAttributes]? {
        guard var names = context.names(context.sys, in: "class/net") else { return nil }
        // bonding_masters is a file among the interfaces.
        names.removeAll { excluded.matches($0) || $0 == "bonding_masters" }
        let sys = context.sys
        let values = context.readAttributes(
            names.flatMap { name in Self.files.map { sys.path("class/net/\(name)/\($0)") } }
        )
        let numberCount = InterfaceAttributes.Number.allCases.count
        return names.enumerated().map { index, name in
            let own = values[(index * Self.files.count)..<((index + 1) * Self.files.count)]
            var numbers = own.prefix(numberCount).map { $0.flatMap { $0.scanned(Self.number) } }
            // -1 stands for an unknown speed.
            if let speed = InterfaceAttributes.Number.allCases.firstIndex(of: .speed), (numbers[speed] ?? 0) < 0 {
                numbers[speed] = nil
            }
            return InterfaceAttributes(
                device: name,
                numbers: numbers,
                texts: own.dropFirst(numberCount).map { $0.map { $0.scanned { $0.trimmed.string } } }
            )
        }
    }

    /// A decimal number, or a hexadecimal one after `0x`.
    private static func number(_ bytes: Bytes) -> Int64? {
        let text = bytes.trimmed
        return text.hasPrefix("0x") ? Int64(text.dropping(2).string, radix: 16) : text.signed
    }
}
