// SPDX-License-Identifier: MIT

/// Reads batteries and power supplies (Documentation/power/power_supply_class.rst): `/sys/class/power_supply`.
struct PowerSupplyClassCollector: HostCollector {
    static let name = "powersupplyclass"

    /// The divisor for the kernel's unit, and the files in that unit.
    private static let numbers: [(divisor: Double, files: [String])] = [
        (
            1,
            [
                "authentic", "calibrate", "capacity", "capacity_alert_max", "capacity_alert_min", "cycle_count",
                "online", "present", "time_to_empty_now", "time_to_full_now",
            ]
        ),
        (
            1e6,
            [
                "charge_control_limit", "charge_control_limit_max", "charge_counter", "charge_empty",
                "charge_empty_design", "charge_full", "charge_full_design", "charge_now", "charge_term_current",
                "constant_charge_current", "constant_charge_current_max", "constant_charge_voltage",
                "constant_charge_voltage_max", "current_boot", "current_max", "current_now", "energy_empty",
                "energy_empty_design", "energy_full", "energy_full_design", "energy_now", "input_current_limit",
                "power_now", "precharge_current", "voltage_boot", "voltage_max", "voltage_max_design", "voltage_min",
                "voltage_min_design", "voltage_now", "voltage_ocv",
            ]
        ),
        (
            10,
            [
                "temp", "temp_alert_max", "temp_alert_min", "temp_ambient", "temp_ambient_max", "temp_ambient_min",
                "temp_max", "temp_min",
            ]
        ),
    ]
    private static let divisors = Dictionary(
        uniqueKeysWithValues: numbers.flatMap { group in group.files.map { ($0, group.divisor) } }
    )
    /// Files whose families have other names.
    private static let names = [
        "cycle_count": "cyclecount", "time_to_empty_now": "time_to_empty_seconds",
        "time_to_full_now": "time_to_full_seconds", "charge_now": "charge_ampere", "current_now": "current_ampere",
        "energy_now": "energy_watthour", "power_now": "power_watt", "voltage_now": "voltage_volt",
    ]
    private static let texts = [
        "capacity_level", "charge_type", "health", "manufacturer", "model_name", "scope", "serial_number", "status",
        "technology", "type", "usb_type",
    ]

    private let excluded: NameFilter

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedPowerSupplies)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let supplies = context.names(context.sys, in: "class/power_supply") else { return nil }
        var families = HostFamilies()
        for supply in supplies where !excluded.matches(supply) {
            let directory = "class/power_supply/" + supply
            // A driver provides only a few of the possible files.
            let files = (context.names(context.sys, in: directory) ?? [])
                .filter { Self.divisors[$0] != nil || Self.texts.contains($0) }
            let values = context.readAttributes(of: [supply], in: "class/power_supply", files)[0].values
            var info = ["power_supply", supply]
            for (file, value) in zip(files, values) {
                guard let value else { continue }
                guard let divisor = Self.divisors[file] else {
                    if !value.isEmpty { info += [file, value] }
                    continue
                }
                let name = Self.names[file] ?? (divisor == 10 ? file + "_celsius" : file)
                families.add(
                    "power_supply_" + name,
                    "The attribute \(file) of a power supply.",
                    labels: ["power_supply", supply],
                    Int64(value).map { Double($0) / divisor }
                )
            }
            families.add("power_supply_info", "Identity and properties of a power supply.", labels: info, 1)
        }
        return families
    }
}
