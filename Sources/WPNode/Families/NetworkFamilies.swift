// SPDX-License-Identifier: MIT

import WPHost
import WPMetrics

extension FamilyBuilder {
    mutating func addTraffic(_ traffic: [InterfaceTraffic]) {
        let families: [(InterfaceTraffic.Counter, String, String)] = [
            (.receivedBytes, "receive_bytes", "Bytes received."),
            (.receivedPackets, "receive_packets", "Packets received."),
            (.receiveErrors, "receive_errs", "Packets received with an error."),
            (.receiveDrops, "receive_drop", "Received packets that were dropped."),
            (.receiveFIFO, "receive_fifo", "Packets lost because the receive buffer was full."),
            (.receiveFrame, "receive_frame", "Packets received with a framing error."),
            (.receiveCompressed, "receive_compressed", "Compressed packets received."),
            (.receiveMulticast, "receive_multicast", "Multicast packets received."),
            (.sentBytes, "transmit_bytes", "Bytes sent."),
            (.sentPackets, "transmit_packets", "Packets sent."),
            (.sendErrors, "transmit_errs", "Packets that could not be sent."),
            (.sendDrops, "transmit_drop", "Packets dropped before they were sent."),
            (.sendFIFO, "transmit_fifo", "Packets lost because the send buffer was empty."),
            (.collisions, "transmit_colls", "Collisions."),
            (.carrierLosses, "transmit_carrier", "Packets lost because the carrier was."),
            (.sendCompressed, "transmit_compressed", "Compressed packets sent."),
        ]
        let sets = traffic.map { labels("device", $0.device) }
        for (counter, name, help) in families {
            add(
                "node_network_\(name)_total",
                help,
                type: .counter,
                zip(sets, traffic).map { ($0, Double($1[counter])) }
            )
        }
    }

    mutating func addInterfaces(_ interfaces: [InterfaceAttributes]) {
        let families: [(InterfaceAttributes.Number, String, String, MetricType)] = [
            (.addressAssignType, "address_assign_type", "How the address was assigned.", .gauge),
            (.carrier, "carrier", "Whether there is a carrier.", .gauge),
            (.carrierChanges, "carrier_changes_total", "Changes of the carrier.", .counter),
            (.carrierUps, "carrier_up_changes_total", "Times that the carrier came.", .counter),
            (.carrierDowns, "carrier_down_changes_total", "Times that the carrier was lost.", .counter),
            (.deviceID, "device_id", "Number among devices that share an address.", .gauge),
            (.dormant, "dormant", "Whether the interface waits for something outside.", .gauge),
            (.flags, "flags", "Flags of the interface (IFF_...).", .gauge),
            (.index, "iface_id", "Number of the interface.", .gauge),
            (.link, "iface_link", "Number of the interface below.", .gauge),
            (.linkMode, "iface_link_mode", "Whether the link waits for a user to enable it.", .gauge),
            (.mtu, "mtu_bytes", "Largest packet.", .gauge),
            (.nameAssignType, "name_assign_type", "How the name was assigned.", .gauge),
            (.group, "net_dev_group", "Group of the interface.", .gauge),
            (.queueLength, "transmit_queue_length", "Packets that the send queue holds.", .gauge),
            (.protocolType, "protocol_type", "Type of the link (ARPHRD_...).", .gauge),
            (.receivedWithoutHandler, "receive_nohandler_total", "Received packets that no protocol wanted.", .counter),
        ]
        let sets = interfaces.map { labels("device", $0.device) }
        for (number, name, help, type) in families {
            add(
                "node_network_" + name,
                help,
                type: type,
                zip(sets, interfaces).map { ($0, $1[number].map { Double($0) }) }
            )
        }
        // From Mbit/s.
        add(
            "node_network_speed_bytes",
            "Speed of the link in bytes per second.",
            zip(sets, interfaces).map { ($0, $1[.speed].map { Double($0) * 125_000 }) }
        )
        add(
            "node_network_up",
            "Whether the interface is operational.",
            zip(sets, interfaces).map { ($0, $1[.operstate] == "up" ? 1 : 0) }
        )
        add(
            "node_network_info",
            "Addresses and states of an interface.",
            interfaces.map { interface in
                let enabled = interface.isEnabled.map { $0 ? "up" : "down" } ?? ""
                let labels = labels(
                    "address",
                    interface[.address] ?? "",
                    "adminstate",
                    enabled,
                    "broadcast",
                    interface[.broadcast] ?? "",
                    "device",
                    interface.device,
                    "duplex",
                    interface[.duplex] ?? "",
                    "ifalias",
                    interface[.ifalias] ?? "",
                    "operstate",
                    interface[.operstate] ?? ""
                )
                return (labels, 1)
            }
        )
    }
}
