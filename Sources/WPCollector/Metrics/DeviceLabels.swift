// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The labels that every device family carries.
enum DeviceLabels {
    static let names = ["device_id", "device_name", "device_type"]

    /// A device without an alias is shown by its id, so that no legend is empty.
    static func of(_ device: Device) throws(MetricError) -> LabelSet {
        try LabelSet([
            "device_id": device.id.rawValue,
            "device_name": device.alias.isEmpty ? device.id.rawValue : device.alias,
            "device_type": device.typeCode.map(String.init) ?? "unknown",
        ])
    }
}
