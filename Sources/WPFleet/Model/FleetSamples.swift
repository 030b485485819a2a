// SPDX-License-Identifier: MIT

import WPHistory
package import WPHost
import WPModel

extension UPSSnapshot {
    /// The values for the history. An unreachable device has none, because its values are the last known ones.
    var historyValues: [(quantity: HistoryQuantity, value: Double)] {
        guard !isUnreachable else { return [] }
        let values: [(HistoryQuantity, Double)] = HistoryQuantity.ofSnapshots.compactMap { quantity, source in
            quantity.isCounter ? nil : self[source].map { (quantity, $0) }
        }
        return values + (isOnBattery.map { [(.onBattery, $0 ? 1 : 0)] } ?? [])
    }

    var historyCounters: [(quantity: HistoryQuantity, total: Double)] {
        HistoryQuantity.ofSnapshots.compactMap { quantity, source in
            quantity.isCounter ? self[source].map { (quantity, $0) } : nil
        }
    }
}

extension NodeSnapshot {
    /// The primary file system: `/`, otherwise the first.
    package var primaryDisk: Disk? { disks.first { $0.mountPoint == "/" } ?? disks.first }

    /// The primary network interface: the first that is up, otherwise the first.
    package var primaryNetwork: Network? {
        let real = networks.filter { $0.interface != "lo" }
        return real.first { $0.status?.lowercased() == "up" } ?? real.first
    }

    /// The values for the history.
    /// - Parameters:
    ///   - before: the previous snapshot.
    ///   - seconds: the time between the two.
    ///
    /// Rates are computed from the counters of both snapshots, so that a lost snapshot leaves no gap in the average. If
    /// a counter decreased, the node's own rate is used.
    func historyValues(
        since before: NodeSnapshot?,
        _ seconds: Double
    ) -> [(quantity: HistoryQuantity, value: Double)] {
        func rate(_ now: UInt64?, _ then: UInt64?, or measured: Double?) -> Double? {
            guard let now, let then, now >= then, seconds > 0, seconds < 3600 else { return measured }
            return Double(now - then) / seconds
        }
        let disk = primaryDisk
        let oldDisk = before?.primaryDisk.flatMap { $0.device == disk?.device ? $0 : nil }
        let network = primaryNetwork
        let oldNetwork = before?.primaryNetwork.flatMap { $0.interface == network?.interface ? $0 : nil }
        let values: [(HistoryQuantity, Double?)] = [
            (.cpuUsage, cpu?.usagePercent), (.memoryUsage, memory?.usagePercent), (.diskUsage, disk?.usagePercent),
            (.diskRead, rate(disk?.readBytes, oldDisk?.readBytes, or: disk?.readRate)),
            (.diskWrite, rate(disk?.writtenBytes, oldDisk?.writtenBytes, or: disk?.writeRate)),
            (.networkReceive, rate(network?.receivedBytes, oldNetwork?.receivedBytes, or: network?.receiveRate)),
            (.networkSend, rate(network?.sentBytes, oldNetwork?.sentBytes, or: network?.sendRate)),
            (.cpuTemperature, temperature?.cpu), (.load1, cpu?.load1),
        ]
        return values.compactMap { quantity, value in value.map { (quantity, $0) } }
    }
}
