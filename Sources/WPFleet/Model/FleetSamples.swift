// SPDX-License-Identifier: MIT

import WPHistory
package import WPHost
import WPModel

extension UPSSnapshot {
    /// What the history keeps of it. The values of a device out of reach are the last ones known, and so not counted.
    var historyValues: [(quantity: HistoryQuantity, value: Double)] {
        guard connected != false else { return [] }
        let values: [(HistoryQuantity, Double?)] = [
            (.loadPercent, loadPercent), (.loadWatts, loadWatts), (.batteryPercent, batteryPercent),
            (.batteryRuntime, batteryRuntimeSeconds), (.inputVolts, inputVolts), (.outputVolts, outputVolts),
            (.temperature, temperatureCelsius), (.batteryVolts, batteryVolts),
            (.onBattery, isOnBattery.map { $0 ? 1 : 0 }),
        ]
        return values.compactMap { quantity, value in value.map { (quantity, $0) } }
    }

    var historyCounters: [(quantity: HistoryQuantity, total: Double)] {
        energyWattHours.map { [(.energy, $0)] } ?? []
    }
}

extension NodeSnapshot {
    /// The file system that stands for the node: `/`, else the first.
    package var primaryDisk: Disk? { disks.first { $0.mountPoint == "/" } ?? disks.first }

    /// The interface that stands for the node: the first that is up, else the first.
    package var primaryNetwork: Network? {
        let real = networks.filter { $0.interface != "lo" }
        return real.first { $0.status?.lowercased() == "up" } ?? real.first
    }

    /// What the history keeps of it.
    /// - Parameters:
    ///   - before: the snapshot before it.
    ///   - seconds: the time between the two.
    ///
    /// Rates are the differences of the counters between the two where both have them and none went back, so that a
    /// snapshot that got lost leaves no hole in the mean; else what the node measured.
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
