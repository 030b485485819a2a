// SPDX-License-Identifier: MIT

import WPCore
import WPMetrics
import WPModel

/// All families with one sample per device.
enum DeviceFamilies {
    static func all() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        try FamilyRow.rows(of: UPSQuantity.all) + [
            try FamilyRow(UPSMetric.activeAlarms.name, UPSMetric.activeAlarms.help, labels: DeviceLabels.names) {
                Double($0.alarms.count)
            },
            try FamilyRow(
                "winpower_device_last_update_timestamp_seconds",
                "Time of the reading, in seconds since 1970.",
                labels: DeviceLabels.names
            ) { $0.time.secondsSince1970 },
        ]
    }
}

extension FamilyRow where Subject: Sendable {
    /// The families of quantities.
    /// - Parameter labels: the labels in addition to those of the device.
    static func rows(of quantities: [Quantity<Subject>], labels: [String] = []) throws(MetricError) -> [Self] {
        var rows: [Self] = []
        for quantity in quantities {
            guard let metric = quantity.metric else { continue }
            rows.append(try Self(metric, quantity.help, labels: DeviceLabels.names + labels) { quantity.value(of: $0) })
        }
        return rows
    }
}
