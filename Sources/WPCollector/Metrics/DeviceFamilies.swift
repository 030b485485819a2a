// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The table of all families with a single sample per device: docs/metrics.md as code.
enum DeviceFamilies {
    static func all() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        try status() + load() + line() + battery() + rating()
    }

    private static func status() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        [
            try FamilyRow("winpower_device_connected", "Whether WinPower reaches the device.") {
                $0.isConnected.map { $0 ? 1 : 0 }
            },
            try FamilyRow("winpower_device_ups_mode", "Operating mode, the vendor's code.") {
                $0.mode.map { Double($0.code) }
            },
            try FamilyRow("winpower_device_ups_status", "Status, the vendor's code: 1 normal, 2 alarm.") {
                $0.statusCode.map(Double.init)
            },
            try FamilyRow("winpower_device_ups_test_status", "Result of the last battery test, the vendor's code.") {
                $0.testStatusCode.map(Double.init)
            },
            try FamilyRow("winpower_device_ups_temperature", "Temperature of the UPS in degrees Celsius.") {
                $0.temperatureCelsius
            },
            try FamilyRow("winpower_device_active_alarms", "Number of alarms that are active on the device.") {
                Double($0.alarms.count)
            },
            try FamilyRow(
                "winpower_device_last_update_timestamp_seconds",
                "When the reading was taken, in seconds since 1970."
            ) { $0.time.secondsSince1970 },
        ]
    }

    private static func load() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        [
            try FamilyRow("winpower_device_load_percent", "Load in percent of the rating.") { $0.load.percent },
            try FamilyRow("winpower_device_load_total_watts", "Active power of the load in watts.") { $0.load.watts },
            try FamilyRow("winpower_device_load_total_va", "Apparent power of the load in volt-amperes.") {
                $0.load.voltAmperes
            },
        ]
    }

    private static func line() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        [
            try FamilyRow("winpower_device_input_voltage", "Mains voltage in volts, phase 1.") { $0.input.volts },
            try FamilyRow("winpower_device_input_frequency", "Mains frequency in hertz.") { $0.input.hertz },
            try FamilyRow("winpower_device_input_transformer_type", "Input transformer type, the vendor's code.") {
                $0.input.transformerTypeCode.map(Double.init)
            },
            try FamilyRow("winpower_device_output_voltage", "Output voltage in volts, phase 1.") { $0.output.volts },
            try FamilyRow("winpower_device_output_current", "Output current in amperes, phase 1.") {
                $0.output.amperes
            },
            try FamilyRow("winpower_device_output_frequency", "Output frequency in hertz.") { $0.output.hertz },
            try FamilyRow("winpower_device_output_voltage_type", "Output voltage type, the vendor's code.") {
                $0.output.voltageTypeCode.map(Double.init)
            },
        ]
    }

    private static func battery() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        [
            try FamilyRow("winpower_device_battery_charging", "Whether the battery is being charged.") {
                $0.battery.isCharging.map { $0 ? 1 : 0 }
            },
            try FamilyRow("winpower_device_battery_capacity", "Charge of the battery in percent.") {
                $0.battery.chargePercent
            },
            try FamilyRow("winpower_device_battery_remain_seconds", "Runtime left on battery in seconds.") {
                $0.battery.runtimeSeconds
            },
            try FamilyRow("winpower_device_battery_voltage", "Voltage of the battery string in volts.") {
                $0.battery.volts
            },
            try FamilyRow("winpower_device_battery_status", "Battery status, the vendor's code: 2 is normal.") {
                $0.battery.statusCode.map(Double.init)
            },
        ]
    }

    private static func rating() throws(MetricError) -> [FamilyRow<DeviceReading>] {
        [
            try FamilyRow("winpower_device_rated_va", "Rated apparent power in volt-amperes.") {
                $0.device.rating.voltAmperes
            },
            try FamilyRow("winpower_device_rated_voltage", "Rated voltage in volts.") { $0.device.rating.volts },
            try FamilyRow("winpower_device_rated_frequency", "Rated frequency in hertz.") {
                $0.device.rating.hertz
            },
            try FamilyRow("winpower_device_rated_battery_voltage", "Rated voltage of the battery string in volts.") {
                $0.device.rating.batteryVolts
            },
        ]
    }
}
