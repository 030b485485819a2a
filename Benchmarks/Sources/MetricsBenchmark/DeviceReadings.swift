// SPDX-License-Identifier: MIT

import Synchronization
import WPMetrics

/// The data that all programs of this benchmark expose: 1,000 devices with 45 series each.
enum DeviceReadings {
    static let devices = 1000
    static let families = 45
    static let labelNames = ["device_id", "device_name", "device_type"]

    static func familyName(_ family: Int) -> String { "benchmark_device_reading_\(padded(family, 2))_volts" }

    static func labelValues(_ device: Int) -> [String] {
        ["e156e6cb-41cb-4b35-b0dd-\(padded(device, 12))", "UPS-\(padded(device, 5))", "1"]
    }

    static func value(_ device: Int, _ family: Int, _ round: Int) -> Double {
        Double(2000 + (device * 7 + family * 13 + round) % 1000) / 10
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Creates const metrics from stored readings.
final class ReadingsCollector: ImmediateCollector {
    let descriptors: [MetricDescriptor]
    let round = Atomic(0)
    private let labels: [LabelSet]

    init() throws {
        descriptors = try (0..<DeviceReadings.families).map {
            try MetricDescriptor(
                name: DeviceReadings.familyName($0),
                help: "A reading of a device.",
                type: .gauge,
                labelNames: DeviceReadings.labelNames
            )
        }
        labels = try (0..<DeviceReadings.devices).map { device in
            try LabelSet(zip(DeviceReadings.labelNames, DeviceReadings.labelValues(device)).map { Label($0, $1) })
        }
    }

    func collectNow() -> [MetricFamily] {
        let round = round.load(ordering: .relaxed)
        return descriptors.enumerated().map { family, descriptor in
            MetricFamily(
                descriptor,
                labels.enumerated().map { device, labels in
                    Metric(labels: labels, value: DeviceReadings.value(device, family, round))
                }
            )
        }
    }
}
