// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The energy families: one sample for each device of the last good collection that has a total.
struct EnergyFamilies: Sendable {
    private let rows: [FamilyRow<EnergyTotal>]

    init() throws(MetricError) {
        rows = [
            try FamilyRow("winpower_device_cumulative_energy", "Energy that the load has drawn, in watt-hours.") {
                $0.wattHours
            },
            try FamilyRow(
                "winpower_device_energy_joules_total",
                "Energy that the load has drawn, in joules.",
                type: .counter,
                unit: "joules"
            ) { $0.joules },
            try FamilyRow(
                "winpower_device_energy_metered_seconds_total",
                "Time over which power was integrated, in seconds.",
                type: .counter,
                unit: "seconds"
            ) { $0.meteredSeconds },
            try FamilyRow(
                "winpower_device_energy_gap_seconds_total",
                "Time between samples over which power could not be integrated, in seconds.",
                type: .counter,
                unit: "seconds"
            ) { $0.gapSeconds },
        ]
    }

    var descriptors: [MetricDescriptor] { rows.map(\.descriptor) }

    func families(
        of devices: [Labelled<DeviceReading>],
        totals: [DeviceID: EnergyTotal]
    ) -> [MetricFamily] {
        let known = devices.compactMap { device in
            totals[device.subject.device.id].map { (labels: device.labels, subject: $0) }
        }
        return rows.map { $0.family(of: known) }
    }
}
