// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The energy families: one sample for each shown device that has a total.
struct EnergyFamilies: Sendable {
    /// Carries the labels of every device gauge, as it always has.
    private let cumulative: FamilyRow<EnergyTotal>
    /// Carry `device_id` alone: a counter that changed its labels with the device's name would start a new series, and
    /// `increase()` would lose the time around it.
    private let counters: [FamilyRow<EnergyTotal>]

    init() throws(MetricError) {
        cumulative = try FamilyRow(
            "winpower_device_cumulative_energy",
            "Energy that the load has drawn, in watt-hours."
        ) { $0.wattHours }
        counters = [
            try Self.counter("energy_joules", "Energy that the load has drawn, in joules.", unit: "joules") {
                $0.joules
            },
            try Self.counter(
                "energy_metered_seconds",
                "Time over which power was integrated, in seconds.",
                unit: "seconds"
            ) { $0.meteredSeconds },
            try Self.counter(
                "energy_gap_seconds",
                "Time between samples over which power could not be integrated, in seconds.",
                unit: "seconds"
            ) { $0.gapSeconds },
            try Self.counter(
                "energy_unverified_seconds",
                "Time that the clocks leave in doubt and that is neither metered nor gap, in seconds.",
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
            "winpower_device_\(name)_total",
            help,
            type: .counter,
            unit: unit,
            base: [DeviceLabels.idName],
            value
        )
    }
}
