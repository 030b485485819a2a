// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// The variables of a UPS, derived from one reading. Missing values are omitted.
enum UPSVariables {
    /// - Parameters:
    ///   - status: the words of `ups.status`.
    ///   - rule: the thresholds, which are also published.
    ///   - version: the version of this program.
    static func make(
        _ reading: DeviceReading,
        status: UPSStatus,
        rule: LowBatteryRule,
        version: String
    ) -> [NUTVariableName: NUTVariable] {
        var variables = Builder()
        identity(reading.device, version, &variables)
        variables.text(.upsStatus, status.description)
        variables.text(.upsAlarm, alarm(reading))
        for quantity in UPSQuantity.all {
            if let name = NUTVariableName(quantity) { variables.number(name, quantity.value(of: reading)) }
        }
        battery(reading.battery, status, rule, &variables)
        for phase in reading.phases where PhaseQuantity.numbers.contains(phase.number) {
            for quantity in PhaseQuantity.all {
                guard let name = NUTVariableName(quantity, phase: phase.number) else { continue }
                variables.number(name, quantity.value(of: phase))
            }
        }
        return variables.all
    }

    private static func identity(_ device: Device, _ version: String, _ variables: inout Builder) {
        variables.text(.deviceType, "ups")
        variables.text(.deviceModel, device.model)
        variables.text(.upsModel, device.model)
        variables.text(.deviceDescription, device.alias)
        variables.text(.upsID, device.id.rawValue)
        variables.text(.upsFirmware, device.firmwareVersion)
        variables.number(.inputPhases, device.inputPhaseCount.map(Double.init))
        variables.number(.outputPhases, device.outputPhaseCount.map(Double.init))
        variables.text(.driverName, "winpower-exporter")
        variables.text(.driverVersion, version)
    }

    private static func alarm(_ reading: DeviceReading) -> String? {
        var texts = reading.alarms.map { $0.text.isEmpty ? $0.id : $0.text }
        if let fault = reading.faultCode { texts.append("Fault \(fault)") }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func battery(
        _ battery: DeviceReading.Battery,
        _ status: UPSStatus,
        _ rule: LowBatteryRule,
        _ variables: inout Builder
    ) {
        variables.number(.batteryChargeLow, Double(rule.chargePercent))
        variables.number(.batteryRuntimeLow, rule.runtime.inSeconds)
        if status.contains(.discharging) {
            variables.text(.batteryChargerStatus, "discharging")
        } else if let isCharging = battery.isCharging {
            let isFull = battery.chargePercent.map { $0 >= 100 } ?? false
            variables.text(.batteryChargerStatus, !isCharging ? "resting" : isFull ? "floating" : "charging")
        }
    }

    private struct Builder {
        var all: [NUTVariableName: NUTVariable] = [:]

        mutating func text(_ name: NUTVariableName, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            all[name] = NUTVariable(value: Self.shortened(value), kind: .text)
        }

        mutating func number(_ name: NUTVariableName, _ value: Double?) {
            guard let value, value.isFinite, abs(value) < 1e12 else { return }
            all[name] = NUTVariable(value: Self.decimal(value), kind: .number)
        }

        /// At most two decimals, without trailing zeros.
        static func decimal(_ value: Double) -> String {
            var text: [UInt8] = []
            text.appendDecimal((value * 100).rounded() / 100)
            return String(decoding: text, as: UTF8.self)
        }

        /// The text truncated to ``NUTQuery/maxTextBytes``.
        static func shortened(_ text: String) -> String {
            var short = ""
            var count = 0
            for character in text {
                count += character.utf8.count
                guard count <= NUTQuery.maxTextBytes else { break }
                short.append(character)
            }
            return short
        }
    }
}
