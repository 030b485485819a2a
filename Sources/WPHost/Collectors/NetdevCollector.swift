// SPDX-License-Identifier: MIT

import WPCore

/// The traffic of one network interface.
package struct InterfaceTraffic: Sendable, Hashable {
    /// The kernel's counters, in the order of the columns of `/proc/net/dev`.
    package enum Counter: Int, Sendable, CaseIterable {
        case receivedBytes, receivedPackets, receiveErrors, receiveDrops, receiveFIFO, receiveFrame, receiveCompressed
        case receiveMulticast
        case sentBytes, sentPackets, sendErrors, sendDrops, sendFIFO, collisions, carrierLosses, sendCompressed
    }

    /// Traffic per second since the last sample.
    package struct Rates: Sendable, Hashable {
        /// Bytes per second.
        package let received, sent: Double
        /// Packets per second.
        package let receivedPackets, sentPackets: Double
    }

    /// The interface's name.
    package let device: String
    /// Indexed by ``Counter``.
    let counters: [UInt64]
    /// Nil in the first sample and after a counter decreased.
    package internal(set) var rates: Rates?

    package subscript(counter: Counter) -> UInt64 { counters[counter.rawValue] }

    /// Traffic per second since an earlier sample; nil if a counter decreased.
    func rates(since old: [UInt64]?, _ seconds: Double) -> Rates? {
        func perSecond(_ counter: Counter) -> Double? {
            rate(counters[counter.rawValue], old?[counter.rawValue], seconds)
        }
        guard let received = perSecond(.receivedBytes), let sent = perSecond(.sentBytes),
            let receivedPackets = perSecond(.receivedPackets), let sentPackets = perSecond(.sentPackets)
        else { return nil }
        return Rates(received: received, sent: sent, receivedPackets: receivedPackets, sentPackets: sentPackets)
    }
}

/// Reads `/proc/net/dev`.
struct NetdevCollector: HostCollector {
    static let name = "netdev"

    private static let counters: [(InterfaceTraffic.Counter, String, String)] = [
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
        (.sendFIFO, "transmit_fifo", "Packets lost because the transmit buffer ran empty."),
        (.collisions, "transmit_colls", "Collisions."),
        (.carrierLosses, "transmit_carrier", "Transmit errors caused by a lost carrier."),
        (.sendCompressed, "transmit_compressed", "Compressed packets sent."),
    ]

    private let excluded: NameFilter
    private var last: (time: TimePoint, counters: [ExactText: [UInt64]])?

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedTraffic, included: configuration.includedTraffic)
    }

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceTraffic]? {
        let seconds = context.now.seconds(since: last?.time)
        var traffic: [InterfaceTraffic] = []
        let isRead = context.readLines(context.network, "net/dev", headings: 2) { line in
            // An alias has a colon in its name.
            guard let colon = line.lastIndex(of: UInt8(ascii: ":")),
                let counters = Self.columns(of: line.dropping(colon + 1))
            else { return line.trimmed.isEmpty }
            let device = Bytes(rebasing: line[..<colon]).trimmed.string
            if excluded.matches(device) { return true }
            var interface = InterfaceTraffic(device: device, counters: counters)
            interface.rates = seconds.flatMap { interface.rates(since: last?.counters[ExactText(device)], $0) }
            traffic.append(interface)
            return true
        }
        guard isRead else { return nil }
        last = (context.now, Dictionary(traffic.map { (ExactText($0.device), $0.counters) }, uniquingKeysWith: { $1 }))
        return traffic
    }

    static func addFamilies(of traffic: [InterfaceTraffic], to families: inout HostFamilies) {
        for interface in traffic {
            for (counter, name, help) in counters {
                families.add("network_\(name)_total", help, labels: ["device", interface.device], interface[counter])
            }
        }
    }

    private static func columns(of columns: Bytes) -> [UInt64]? {
        let counters = columns.fields.prefix(InterfaceTraffic.Counter.allCases.count).compactMap(\.unsigned)
        return counters.count == InterfaceTraffic.Counter.allCases.count ? counters : nil
    }
}

extension HostSample {
    /// Traffic of network interfaces, in the kernel's order.
    package var traffic: [InterfaceTraffic]? { self[NetdevCollector.self] }
}
