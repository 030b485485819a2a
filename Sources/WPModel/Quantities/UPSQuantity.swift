// SPDX-License-Identifier: MIT

/// A quantity of a UPS.
package typealias UPSQuantity = Quantity<DeviceReading>

extension Quantity where Root == DeviceReading {
    /// All quantities, in the order of table columns, charts and the page.
    package static let all = table(state + load + battery + line + ratings)

    /// The quantities in snapshots.
    package static let reported = all.filter { $0.name != nil }

    /// Known fields of `config` that are not used, and therefore not reported as unknown.
    package static let unread = ["inputSourceNumber", "upsModuleNumber", "ratingBatVoltPerUnit"]

    private static let state = [
        Self("connected", .flag(\.isConnected), "connected", of: .record, .flag)
            .metric("winpower_device_connected", "Whether WinPower reaches the device."),
        Self("mode_code", .code(\.modeCode), "mode", .code)
            .metric("winpower_device_ups_mode", "Operating mode, the vendor's code."),
        Self("status_code", .code(\.statusCode), "status", .code)
            .metric("winpower_device_ups_status", "Status, the vendor's code: 1 normal, 2 alarm."),
        Self(nil, .code(\.testStatusCode), "testStatus", .code)
            .metric("winpower_device_ups_test_status", "Result of the last battery test, the vendor's code."),
    ]

    private static let load = [
        Self("load_percent", .number(\.load.percent), "loadPercent", .percent)
            .metric("winpower_device_load_percent", "Load in percent of the rating.")
            .page("Load", "负载").overview().history(32).column("LOAD %").nut("ups.load"),
        Self("load_watts", .number(\.load.watts), "loadTotalWatt", .watts)
            .metric("winpower_device_load_total_watts", "Active power of the load in watts.")
            .page("Power", "功率").overview().history(33).column("POWER W").nut("ups.realpower"),
        Self("load_volt_amperes", .number(\.load.voltAmperes), "loadTotalVa", .voltAmperes)
            .metric("winpower_device_load_total_va", "Apparent power of the load in volt-amperes.")
            .nut("ups.power"),
        Self("energy_watt_hours", .total, nil, .wattHours)
            .metric(nil, "Energy that the load has drawn, in watt-hours.")
            .page("Total energy", "累计电能").history(64),
    ]

    private static let battery = [
        Self("battery_percent", .number(\.battery.chargePercent), "batCapacity", .percent).within(-0.5...101)
            .metric("winpower_device_battery_capacity", "Charge of the battery in percent.")
            .page("Battery", "电池").overview().history(34).column("BATT %", inLines: 0).nut("battery.charge"),
        Self("battery_charging", .flag(\.battery.isCharging), "isCharging", .flag)
            .metric("winpower_device_battery_charging", "Whether the battery is being charged.").overview(),
        Self("battery_runtime_seconds", .number(\.battery.runtimeSeconds), "batRemainTime", .seconds)
            .metric("winpower_device_battery_remain_seconds", "Runtime left on battery in seconds.")
            .page("Runtime", "剩余后备时间").overview().history(35).column("LEFT", inLines: 0, drop: 1)
            .nut("battery.runtime"),
        Self("battery_volts", .number(\.battery.volts), "batVoltP", .volts)
            .metric("winpower_device_battery_voltage", "Voltage of the battery string in volts.")
            .page("Battery voltage", "电池电压").history(39).nut("battery.voltage"),
        Self(nil, .code(\.battery.statusCode), "batteryStatus", .code)
            .metric("winpower_device_battery_status", "Battery status, the vendor's code: 2 is normal."),
    ]

    private static let line = [
        Self("input_volts", .number(\.input.volts), "inputVolt1", .volts)
            .metric("winpower_device_input_voltage", "Mains voltage in volts, phase 1.")
            .page("Input voltage", "输入电压").history(36).column("IN V", decimals: 1, drop: 4).nut("input.voltage"),
        Self("input_hertz", .number(\.input.hertz), "inputFreq", .hertz)
            .metric("winpower_device_input_frequency", "Mains frequency in hertz.")
            .nut("input.frequency"),
        Self(nil, .code(\.input.transformerTypeCode), "inputTransformerType", .code)
            .metric("winpower_device_input_transformer_type", "Input transformer type, the vendor's code."),
        Self("output_volts", .number(\.output.volts), "outputVolt1", .volts)
            .metric("winpower_device_output_voltage", "Output voltage in volts, phase 1.")
            .page("Output voltage", "输出电压").history(37).column("OUT V", decimals: 1, drop: 3).nut("output.voltage"),
        Self("output_amperes", .number(\.output.amperes), "outputCurrent1", .amperes)
            .metric("winpower_device_output_current", "Output current in amperes, phase 1.")
            .page("Output current", "输出电流").nut("output.current"),
        Self("output_hertz", .number(\.output.hertz), "outputFreq", .hertz)
            .metric("winpower_device_output_frequency", "Output frequency in hertz.")
            .nut("output.frequency"),
        Self(nil, .code(\.output.voltageTypeCode), "outputVoltageType", .code)
            .metric("winpower_device_output_voltage_type", "Output voltage type, the vendor's code."),
        Self("temperature_celsius", .number(\.temperatureCelsius), "upsTemperature", .celsius)
            .metric("winpower_device_ups_temperature", "Temperature of the UPS in degrees Celsius.")
            .page("Temperature", "温度").overview().history(38).column("TEMP C", decimals: 1, drop: 5)
            .nut("ups.temperature"),
    ]

    private static let ratings = [
        Self("rated_volt_amperes", .number(\.device.rating.voltAmperes), "ratingVa", of: .config, .voltAmperes)
            .metric("winpower_device_rated_va", "Rated apparent power in volt-amperes.")
            .page("Rating", "额定容量").column("RATED VA", drop: 6, isExtra: true).nut("ups.power.nominal"),
        Self(nil, .number(\.device.rating.volts), "ratingVolt", of: .config, .volts)
            .metric("winpower_device_rated_voltage", "Rated voltage in volts.").nut("input.voltage.nominal"),
        Self(nil, .number(\.device.rating.hertz), "ratingFreq", of: .config, .hertz)
            .metric("winpower_device_rated_frequency", "Rated frequency in hertz.").nut("input.frequency.nominal"),
        Self(nil, .number(\.device.rating.batteryVolts), "ratingBatVolt", of: .config, .volts)
            .metric("winpower_device_rated_battery_voltage", "Rated voltage of the battery string in volts.")
            .nut("battery.voltage.nominal"),
        Self("rated_battery_units", .code(\.device.rating.batteryUnits), "ratingBatUnitNumber", of: .config, .count)
            .metric("winpower_device_rated_battery_units", "Number of blocks in series in the battery string.")
            .page("Battery blocks", "电池节数"),
    ]

    // MARK: Quantities used by other code

    package static let connected = named("connected")
    package static let loadPercent = named("load_percent")
    package static let loadWatts = named("load_watts")
    package static let energy = named("energy_watt_hours")
    package static let batteryPercent = named("battery_percent")
    package static let batteryRuntime = named("battery_runtime_seconds")
    package static let inputVolts = named("input_volts")
    package static let outputVolts = named("output_volts")
    package static let temperature = named("temperature_celsius")
    package static let ratedVoltAmperes = named("rated_volt_amperes")

    private static func named(_ name: String) -> Self {
        guard let quantity = all.first(where: { $0.name == name }) else { preconditionFailure("no quantity \(name)") }
        return quantity
    }
}

extension DeviceReading {
    /// The code of ``mode``.
    package var modeCode: Int? {
        get { mode?.code }
        set { mode = newValue.map(OperatingMode.init(code:)) }
    }
}
