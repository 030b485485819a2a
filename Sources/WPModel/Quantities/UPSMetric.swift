// SPDX-License-Identifier: MIT

/// The UPS metrics that exporters and hubs share and that do not belong to a quantity.
package enum UPSMetric {
    package static let activeAlarms = (
        name: "winpower_device_active_alarms", help: "Number of active alarms of the device."
    )
    package static let energy = (
        name: "winpower_device_energy_joules_total", help: "Energy that the load has drawn, in joules.", unit: "joules"
    )
}
