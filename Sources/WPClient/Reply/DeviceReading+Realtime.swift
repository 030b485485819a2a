// SPDX-License-Identifier: MIT

import WPModel

/// The values of `realtime` that belong to one phase of several.
struct PhaseValues {
    var first = DeviceReading.Phase(number: 1)
    var second = DeviceReading.Phase(number: 2)
    var third = DeviceReading.Phase(number: 3)

    /// The phases of a reading whose other values are complete. A device has several when `config` says so or when it
    /// reports a value of phase 2 or 3; else it has none, and its values are those of the device.
    func list(for reading: DeviceReading) -> [DeviceReading.Phase] {
        let hasSeveral =
            (reading.device.inputPhaseCount ?? 0) > 1 || (reading.device.outputPhaseCount ?? 0) > 1
            || second != DeviceReading.Phase(number: 2) || third != DeviceReading.Phase(number: 3)
        guard hasSeveral else { return [] }
        var first = first
        first.inputVolts = reading.input.volts
        first.outputVolts = reading.output.volts
        first.outputAmperes = reading.output.amperes
        return [first, second, third]
    }
}

extension DeviceReading {
    /// Reads the value of a field of `realtime` to where it belongs.
    mutating func take(
        _ field: RealtimeField,
        _ reader: inout JSONReader,
        _ phases: inout PhaseValues
    ) throws(JSONFault) {
        switch field {
        case .inputVolt1: input.volts = try reader.readQuantity()
        case .inputVolt2: phases.second.inputVolts = try reader.readQuantity()
        case .inputVolt3: phases.third.inputVolts = try reader.readQuantity()
        case .inputFreq: input.hertz = try reader.readQuantity()
        case .inputTransformerType: input.transformerTypeCode = try reader.readCode()
        case .outputVolt1: output.volts = try reader.readQuantity()
        case .outputVolt2: phases.second.outputVolts = try reader.readQuantity()
        case .outputVolt3: phases.third.outputVolts = try reader.readQuantity()
        case .outputCurrent1: output.amperes = try reader.readQuantity()
        case .outputCurrent2: phases.second.outputAmperes = try reader.readQuantity()
        case .outputCurrent3: phases.third.outputAmperes = try reader.readQuantity()
        case .outputFreq: output.hertz = try reader.readQuantity()
        case .outputVoltageType: output.voltageTypeCode = try reader.readCode()
        case .loadPercent: load.percent = try reader.readQuantity()
        case .loadTotalWatt: load.watts = try reader.readQuantity()
        case .loadTotalVa: load.voltAmperes = try reader.readQuantity()
        case .loadWatt1: phases.first.loadWatts = try reader.readQuantity()
        case .loadWatt2: phases.second.loadWatts = try reader.readQuantity()
        case .loadWatt3: phases.third.loadWatts = try reader.readQuantity()
        case .loadVa1: phases.first.loadVoltAmperes = try reader.readQuantity()
        case .loadVa2: phases.second.loadVoltAmperes = try reader.readQuantity()
        case .loadVa3: phases.third.loadVoltAmperes = try reader.readQuantity()
        case .isCharging: battery.isCharging = try reader.readFlag()
        case .batCapacity: battery.chargePercent = try reader.readQuantity()
        case .batRemainTime: battery.runtimeSeconds = try reader.readQuantity()
        case .batVoltP: battery.volts = try reader.readQuantity()
        case .batteryStatus: battery.statusCode = try reader.readCode()
        case .mode: mode = try reader.readCode().map(OperatingMode.init(code:))
        case .status: statusCode = try reader.readCode()
        case .testStatus: testStatusCode = try reader.readCode()
        case .upsTemperature: temperatureCelsius = try reader.readNumber()
        case .faultCode: faultCode = try reader.readText()
        }
    }
}
