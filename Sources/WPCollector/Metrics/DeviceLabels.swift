// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The labels that identify a device.
enum DeviceLabels {
    static let idName = "device_id"
    static let names = [idName, "device_name", "device_type"]

    /// A device without an alias is shown by its ID, so that no legend is empty.
    static func of(_ device: Device) throws(MetricError) -> LabelSet {
        try LabelSet([
            idName: device.id.rawValue,
            "device_name": device.alias.isEmpty ? device.id.rawValue : device.alias,
            "device_type": device.typeCode.map(String.init) ?? "unknown",
        ])
    }

    /// The only label that does not change when a device is renamed.
    static func id(_ id: DeviceID) throws(MetricError) -> LabelSet {
        try LabelSet([idName: id.rawValue])
    }
}
