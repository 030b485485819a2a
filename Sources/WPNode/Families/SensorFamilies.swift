// SPDX-License-Identifier: MIT

import WPHost
import WPMetrics

extension FamilyBuilder {
    mutating func addChips(_ chips: [SensorChip]) {
        add(
            "node_hwmon_chip_names",
            "The driver's name of a chip.",
            chips.map { chip in (chip.name.flatMap { labels("chip", chip.chip, "chip_name", $0) }, 1) }
        )
        add(
            "node_hwmon_sensor_label",
            "What a sensor measures.",
            chips.flatMap { chip in
                chip.labels.sorted { $0.key < $1.key }.map { sensor, label in
                    (labels("chip", chip.chip, "label", label, "sensor", sensor), 1)
                }
            }
        )
        var families: [String: (SensorUnit, [(LabelSet?, Double?)])] = [:]
        for chip in chips {
            let kindsWithBareFile = Set(chip.values.lazy.filter { $0.element.isEmpty }.map(\.sensor))
            for value in chip.values {
                let unit = SensorUnit(of: value, hasBareFile: kindsWithBareFile.contains(value.sensor))
                // A clock rate is known by what it is the rate of.
                let sensor = value.kind == "freq" ? chip.labels[value.sensor] ?? value.sensor : value.sensor
                let member = (labels("chip", chip.chip, "sensor", sensor), Optional(value.value * unit.factor))
                families[unit.name, default: (unit, [])].1.append(member)
            }
        }
        for (name, (unit, members)) in families.sorted(by: { $0.key < $1.key }) {
            add(name, unit.help, type: unit.isCounter ? .counter : .gauge, members)
        }
    }

    mutating func addThermal(_ sample: ThermalSample?) {
        add(
            "node_thermal_zone_temp",
            "Temperature of a thermal zone in degrees Celsius.",
            (sample?.zones ?? []).map { (labels("type", $0.type, "zone", $0.zone), $0.celsius) }
        )
        let devices = sample?.coolingDevices ?? []
        add(
            "node_cooling_device_cur_state",
            "How much a device cools.",
            devices.map { (labels("name", $0.name, "type", $0.type), $0.current.map { Double($0) }) }
        )
        add(
            "node_cooling_device_max_state",
            "How much a device can cool.",
            devices.map { (labels("name", $0.name, "type", $0.type), $0.maximum.map { Double($0) }) }
        )
    }
}

/// The family that a sensor's file goes to, and the factor from the kernel's unit to the family's
/// (Documentation/hwmon/sysfs-interface.rst).
private struct SensorUnit {
    let name: String
    let factor: Double
    let isCounter: Bool
    let help: String

    init(of value: SensorChip.Value, hasBareFile: Bool) {
        var base = "node_hwmon_" + value.kind
        if value.element == "input" {
            if hasBareFile { base += "_input" }
        } else if !value.element.isEmpty {
            base += "_" + value.element
        }
        var (suffix, factor) = ("", 1.0)
        var isCounter = false
        switch value.kind {
        case "beep_enable": base = "node_hwmon_beep_enabled"
        case "vrm": base = "node_hwmon_voltage_regulator_version"
        case "update_interval": (base, factor) = ("node_hwmon_update_interval_seconds", 0.001)
        case _ where value.element == "fault" || value.element == "alarm": break
        case _ where value.element == "beep": suffix = "_enabled"
        case "in", "cpu": (suffix, factor) = ("_volts", 0.001)
        case "temp" where value.element != "type": (suffix, factor) = ("_celsius", 0.001)
        case "curr": (suffix, factor) = ("_amps", 0.001)
        case "energy": (suffix, factor, isCounter) = ("_joule_total", 1e-6, true)
        case "humidity": factor = 1e-6
        case "fan" where ["input", "min", "max", "target"].contains(value.element): suffix = "_rpm"
        case "power" where value.element == "accuracy": factor = 1e-6
        case "power" where value.element.hasPrefix("average_interval"): (suffix, factor) = ("_seconds", 0.001)
        case "power": (suffix, factor) = ("_watt", 1e-6)
        case "freq" where value.element == "input": (suffix, factor) = ("_freq_mhz", 1e-6)
        default: break
        }
        name = base + suffix
        self.factor = factor
        self.isCounter = isCounter
        help = "Sensors of kind \(value.kind)" + (value.element.isEmpty ? "." : ": \(value.element).")
    }
}
