// SPDX-License-Identifier: MIT

import WPModel

/// The variables of a UPS, made from one reading of it. What the reading does not hold is absent.
enum UPSVariables {
    /// - Parameters:
    ///   - status: the words of `ups.status`.
    ///   - rule: the thresholds, which are shown as well.
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
        variables.number(.upsLoad, reading.load.percent)
        variables.number(.upsRealPower, reading.load.watts)
        variables.number(.upsPower, reading.load.voltAmperes)
        variables.number(.upsTemperature, reading.temperatureCelsius)
        battery(reading, status, rule, &variables)
        variables.number(.inputVoltage, reading.input.volts)
        variables.number(.inputFrequency, reading.input.hertz)
        variables.number(.outputVoltage, reading.output.volts)
        variables.number(.outputCurrent, reading.output.amperes)
        variables.number(.outputFrequency, reading.output.hertz)
        for phase in reading.phases { phases(phase, &variables) }
        return variables.all
    }

    private static func identity(_ device: Device, _ version: String, _ variables: inout Builder) {
        variables.text(.deviceType, "ups")
        variables.text(.deviceModel, device.model)
        variables.text(.upsModel, device.model)
        variables.text(.deviceDescription, device.alias)
        variables.text(.upsID, device.id.rawValue)
        variables.text(.upsFirmware, device.firmwareVersion)
        variables.number(.upsPowerNominal, device.rating.voltAmperes)
        variables.number(.inputVoltageNominal, device.rating.volts)
        variables.number(.inputFrequencyNominal, device.rating.hertz)
        variables.number(.batteryVoltageNominal, device.rating.batteryVolts)
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
        _ reading: DeviceReading,
        _ status: UPSStatus,
        _ rule: LowBatteryRule,
        _ variables: inout Builder
    ) {
        let battery = reading.battery
        variables.number(.batteryCharge, battery.chargePercent)
        variables.number(.batteryChargeLow, Double(rule.chargePercent))
        variables.number(.batteryRuntime, battery.runtimeSeconds)
        variables.number(.batteryRuntimeLow, rule.runtime.inSeconds)
        variables.number(.batteryVoltage, battery.volts)
        if status.contains(.discharging) {
            variables.text(.batteryChargerStatus, "discharging")
        } else if let isCharging = battery.isCharging {
            let isFull = battery.chargePercent.map { $0 >= 100 } ?? false
            variables.text(.batteryChargerStatus, !isCharging ? "resting" : isFull ? "floating" : "charging")
        }
    }

    private static func phases(_ phase: DeviceReading.Phase, _ variables: inout Builder) {
        let names: (NUTVariableName, NUTVariableName, NUTVariableName, NUTVariableName, NUTVariableName)
        switch phase.number {
        case 1: names = (.inputL1Voltage, .outputL1Voltage, .outputL1Current, .outputL1RealPower, .outputL1Power)
        case 2: names = (.inputL2Voltage, .outputL2Voltage, .outputL2Current, .outputL2RealPower, .outputL2Power)
        case 3: names = (.inputL3Voltage, .outputL3Voltage, .outputL3Current, .outputL3RealPower, .outputL3Power)
        default: return
        }
        variables.number(names.0, phase.inputVolts)
        variables.number(names.1, phase.outputVolts)
        variables.number(names.2, phase.outputAmperes)
        variables.number(names.3, phase.loadWatts)
        variables.number(names.4, phase.loadVoltAmperes)
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

        /// At most two decimals, none that are zero.
        static func decimal(_ value: Double) -> String {
            let hundredths = Int((value * 100).rounded())
            let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
            var text = (hundredths < 0 ? "-" : "") + String(whole)
            if rest != 0 {
                let digits = String(rest)
                text +=
                    "."
                    + (digits.utf8.count < 2
                        ? "0" + digits : digits.hasSuffix("0") ? String(digits.dropLast()) : digits)
            }
            return text
        }

        /// A text of at most ``NUTQuery/maxTextBytes``.
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
