// SPDX-License-Identifier: MIT

/// A quantity of one phase of a polyphase UPS.
package typealias PhaseQuantity = Quantity<DeviceReading.Phase>

extension Quantity where Root == DeviceReading.Phase {
    /// The valid phase numbers.
    package static let numbers = 1...3

    /// All quantities, in column order.
    package static let all = table([
        Self("input_volts", .number(\.inputVolts), "inputVolt", .volts)
            .metric("winpower_device_phase_input_voltage", "Mains voltage of a phase in volts.")
            .page("Input voltage", "输入电压").nut("input.L#-N.voltage"),
        Self("output_volts", .number(\.outputVolts), "outputVolt", .volts)
            .metric("winpower_device_phase_output_voltage", "Output voltage of a phase in volts.")
            .page("Output voltage", "输出电压").nut("output.L#-N.voltage"),
        Self("output_amperes", .number(\.outputAmperes), "outputCurrent", .amperes)
            .metric("winpower_device_phase_output_current", "Output current of a phase in amperes.")
            .page("Output current", "输出电流").nut("output.L#.current"),
        Self("load_watts", .number(\.loadWatts), "loadWatt", .watts)
            .metric("winpower_device_phase_load_watts", "Active power of a phase in watts.")
            .page("Load", "负载").nut("output.L#.realpower"),
        Self("load_volt_amperes", .number(\.loadVoltAmperes), "loadVa", .voltAmperes)
            .metric("winpower_device_phase_load_va", "Apparent power of a phase in volt-amperes.")
            .nut("output.L#.power"),
    ])
}
