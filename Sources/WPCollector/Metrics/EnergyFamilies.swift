// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The energy families: one sample for each device that has a total.
struct EnergyFamilies: Sendable {
    /// Carries the labels of the device gauges, for compatibility.
    private let cumulative: FamilyRow<EnergyTotal>
    /// Carry only `device_id`: if a counter's labels changed with the device's name, a new series would start and
    /// `increase()` would lose data.
    private let counters: [FamilyRow<EnergyTotal>]

    init() throws(MetricError) {
        cumulative = try FamilyRow(
            "winpower_device_cumulative_energy",
            UPSQuantity.energy.help,
            labels: DeviceLabels.names
        ) { $0.wattHours }
        counters = [
            try Self.counter(UPSMetric.energy.name, UPSMetric.energy.help, unit: UPSMetric.energy.unit) { $0.joules },
            try Self.counter(
                "winpower_device_energy_metered_seconds_total",
                "Time over which power was integrated, in seconds.",
                unit: "seconds"
            ) { $0.meteredSeconds },
            try Self.counter(
                "winpower_device_energy_gap_seconds_total",
                "Time between samples over which power could not be integrated, in seconds.",
                unit: "seconds"
            ) { $0.gapSeconds },
            try Self.counter(
                "winpower_device_energy_unverified_seconds_total",
                "Time that the clocks cannot confirm, counted as neither metered nor gap, in seconds.",
                unit: "seconds"
            ) { $0.unverifiedSeconds },
        ]
    }

    var descriptors: [MetricDescriptor] { [cumulative.descriptor] + counters.map(\.descriptor) }

    func families(
        of devices: [Labelled<DeviceID>],
        totals: [DeviceID: EnergyTotal]
    ) throws(MetricError) -> [MetricFamily] {
        var named: [Labelled<EnergyTotal>] = []
        var identified: [Labelled<EnergyTotal>] = []
        for (labels, id) in devices {
            // lint: a device that has never reported its power has no total
            guard let total = totals[id] else { continue }
            named.append((labels, total))
            identified.append((try DeviceLabels.id(id), total))
        }
        return [cumulative.family(of: named)] + counters.map { $0.family(of: identified) }
    }

    private static func counter(
        _ name: String,
        _ help: String,
        unit: String,
        _ value: @escaping @Sendable (EnergyTotal) -> Double?
    ) throws(MetricError) -> FamilyRow<EnergyTotal> {
        try FamilyRow(
            name,
            help,
            type: .counter,
            unit: unit,
            labels: [DeviceLabels.idName],
            value
        )
    }
}
