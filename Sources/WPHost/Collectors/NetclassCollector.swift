// SPDX-License-Identifier: MIT

/// The attributes of a network interface in sysfs.
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
        /// In Mbit/s; absent if the driver does not report it.
        case speed
        case queueLength = "tx_queue_len"
        case protocolType = "type"
        /// Packets without a protocol handler.
        case receivedWithoutHandler = "statistics/rx_nohandler"
    }

    /// A string. The raw value is the file's name.
    package enum Text: String, Sendable, CaseIterable {
        case address, broadcast, duplex, operstate, ifalias
    }

    package let device: String
    let numbers: [Int64?]
    let texts: [String?]

    /// A number; nil if the driver does not report it.
    package subscript(number: Number) -> Int64? { Number.allCases.firstIndex(of: number).flatMap { numbers[$0] } }

    /// A string; nil if the driver does not report it.
    package subscript(text: Text) -> String? { Text.allCases.firstIndex(of: text).flatMap { texts[$0] } }

    /// Whether the interface is administratively up (`IFF_UP`); nil if unknown.
    package var isEnabled: Bool? { self[.flags].map { $0 & 1 != 0 } }
}

/// Reads `/sys/class/net`.
struct NetclassCollector: HostCollector {
    static let name = "netclass"

    private static let numbers: [(InterfaceAttributes.Number, String, String)] = [
        (.addressAssignType, "address_assign_type", "How the address was assigned."),
        (.carrier, "carrier", "Whether there is a carrier."),
        (.carrierChanges, "carrier_changes_total", "Changes of the carrier."),
        (.carrierUps, "carrier_up_changes_total", "Times that the carrier was detected."),
        (.carrierDowns, "carrier_down_changes_total", "Times that the carrier was lost."),
        (.deviceID, "device_id", "Number among devices that share an address."),
        (.dormant, "dormant", "Whether the interface is waiting for an external event."),
        (.flags, "flags", "Flags of the interface (IFF_...)."),
        (.index, "iface_id", "Number of the interface."),
        (.link, "iface_link", "Number of the underlying interface."),
        (.linkMode, "iface_link_mode", "Whether the link waits for a user to enable it."),
        (.mtu, "mtu_bytes", "Maximum size of a packet."),
        (.nameAssignType, "name_assign_type", "How the name was assigned."),
        (.group, "net_dev_group", "Group of the interface."),
        (.queueLength, "transmit_queue_length", "Packets that the transmit queue can hold."),
        (.protocolType, "protocol_type", "Type of the link (ARPHRD_...)."),
        (.receivedWithoutHandler, "receive_nohandler_total", "Received packets that no protocol wanted."),
    ]
    private static let files =
        InterfaceAttributes.Number.allCases.map(\.rawValue) + InterfaceAttributes.Text.allCases.map(\.rawValue)
    private let excluded: NameFilter

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedInterfaces)
    }

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceAttributes]? {
        guard var names = context.names(context.sys, in: "class/net") else { return nil }
        // bonding_masters is a file next to the interfaces.
        names.removeAll { excluded.matches($0) || $0 == "bonding_masters" }
        let numberCount = InterfaceAttributes.Number.allCases.count
        return context.readAttributes(of: names, in: "class/net", Self.files).map { name, values in
            var numbers = values.prefix(numberCount).map { $0.flatMap(Self.number) }
            // -1 means an unknown speed.
            if let speed = InterfaceAttributes.Number.allCases.firstIndex(of: .speed), (numbers[speed] ?? 0) < 0 {
                numbers[speed] = nil
            }
            return InterfaceAttributes(device: name, numbers: numbers, texts: Array(values.dropFirst(numberCount)))
        }
    }

    static func addFamilies(of interfaces: [InterfaceAttributes], to families: inout HostFamilies) {
        for interface in interfaces {
            let device = ["device", interface.device]
            for (number, name, help) in numbers {
                families.add("network_" + name, help, labels: device, interface[number])
            }
            // The kernel reports Mbit/s.
            let speed = interface[.speed].map { Double($0) * 125_000 }
            families.add("network_speed_bytes", "Speed of the link in bytes per second.", labels: device, speed)
            let isUp = interface[.operstate] == "up"
            families.add("network_up", "Whether the interface is operational.", labels: device, isUp ? 1 : 0)
            let info = [
                "address", interface[.address] ?? "", "adminstate",
                interface.isEnabled.map { $0 ? "up" : "down" } ?? "",
                "broadcast", interface[.broadcast] ?? "", "device", interface.device, "duplex",
                interface[.duplex] ?? "", "ifalias", interface[.ifalias] ?? "", "operstate",
                interface[.operstate] ?? "",
            ]
            families.add("network_info", "Addresses and states of an interface.", labels: info, 1)
        }
    }

    /// A decimal number, or a hexadecimal one with the prefix `0x`.
    private static func number(_ text: String) -> Int64? {
        text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }
}

extension HostSample {
    /// Attributes of network interfaces, by name.
    package var interfaces: [InterfaceAttributes]? { self[NetclassCollector.self] }
}
