// SPDX-License-Identifier: MIT

/// The traffic of one network interface.
package struct InterfaceTraffic: Sendable, Hashable {
    /// What the kernel counts, in the order of the columns of `/proc/net/dev`.
    package enum Counter: Int, Sendable, CaseIterable {
        case receivedBytes, receivedPackets, receiveErrors, receiveDrops, receiveFIFO, receiveFrame, receiveCompressed
        case receiveMulticast
        case sentBytes, sentPackets, sendErrors, sendDrops, sendFIFO, collisions, carrierLosses, sendCompressed
    }

    /// What passed per second since the last sample.
    package struct Rates: Sendable, Hashable {
        /// Bytes per second.
        package let received, sent: Double
        /// Packets per second.
        package let receivedPackets, sentPackets: Double
    }

    /// The interface's name.
    package let device: String
    let counters: SIMD16<UInt64>
    /// Nil in the first sample, and after a counter went back.
    package internal(set) var rates: Rates?

    package subscript(counter: Counter) -> UInt64 { counters[counter.rawValue] }

    /// What passed per second since an earlier reading; nil when a counter went back meanwhile.
    func rates(since old: SIMD16<UInt64>?, _ seconds: Double) -> Rates? {
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
struct TrafficCollector: HostCollector {
    static let name = HostCollectorName.netdev
    static let part: HostPart<[InterfaceTraffic]> = \.traffic

    private var excluded: NameFilter
    private var last: (time: HostTime, counters: [ExactText: SIMD16<UInt64>])?

    init(_ excluded: NameFilter) {
        self.excluded = excluded
    }

    init(excluded: NamePattern?) {
        self.init(NameFilter(excluded))
    }

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceTraffic]? {
        let seconds = context.now.seconds(since: last?.time)
        var damaged: [String] = []
        var traffic: [InterfaceTraffic] = []
        let isRead: Void? = context.readNetwork("net/dev") { [last] bytes in
            var scanner = ByteScanner(bytes)
            // Two lines of headings.
            _ = scanner.line()
            _ = scanner.line()
            while let line = scanner.line() {
                // An alias has a colon in its name.
                guard let colon = line.lastIndex(of: UInt8(ascii: ":")),
                    let counters = Self.counters(line.dropping(colon + 1))
                else {
                    if !line.trimmed.isEmpty { damaged.append(line.string) }
                    continue
                }
                let device = Bytes(rebasing: line[..<colon]).trimmed.string
                let old = last?.counters[ExactText(device)]
                var interface = InterfaceTraffic(device: device, counters: counters)
                interface.rates = seconds.flatMap { interface.rates(since: old, $0) }
                traffic.append(interface)
            }
        }
        for line in damaged { context.malformed(context.proc, "net/dev", line) }
        guard isRead != nil else { return nil }
        traffic.removeAll { excluded.matches($0.device) }
        last = (context.now, Dictionary(traffic.map { (ExactText($0.device), $0.counters) }, uniquingKeysWith: { $1 }))
        return traffic
    }

    private static func counters(_ columns: Bytes) -> SIMD16<UInt64>? {
        var fields = ByteScanner(columns)
        var counters = SIMD16<UInt64>(repeating: 0)
        for index in 0..<16 {
            guard let value = fields.unsigned() else { return nil }
            counters[index] = value
        }
        return counters
    }
}
