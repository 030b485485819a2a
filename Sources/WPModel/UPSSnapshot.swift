// SPDX-License-Identifier: MIT

import WPText

/// A UPS at one moment, as `devices --format json` prints it, exporters send it to a hub and the API shows it. A value that
/// is not known is absent.
package struct UPSSnapshot: Sendable, Hashable, Codable {
    package struct Alarm: Sendable, Hashable, Codable {
        package var id: String?
        package var text: String
    }

    package struct Phase: Sendable, Hashable, Codable {
        package var number: Int
        package var inputVolts, outputVolts, outputAmperes, loadWatts, loadVoltAmperes: Double?

        enum CodingKeys: String, CodingKey {
            case number
            case inputVolts = "input_volts", outputVolts = "output_volts", outputAmperes = "output_amperes"
            case loadWatts = "load_watts", loadVoltAmperes = "load_volt_amperes"
        }
    }

    package var id: String
    package var name, model, firmwareVersion, areaID: String?
    package var typeCode: Int?
    package var ratedVoltAmperes: Double?
    /// When it was read: RFC 3339.
    package var readAt: String
    /// Whether WinPower reaches the device.
    package var connected: Bool?
    package var mode: String?
    package var modeCode, statusCode: Int?
    package var faultCode: String?
    package var loadPercent, loadWatts, loadVoltAmperes: Double?
    package var inputVolts, inputHertz: Double?
    package var outputVolts, outputHertz, outputAmperes: Double?
    package var batteryPercent: Double?
    package var batteryCharging: Bool?
    package var batteryRuntimeSeconds, batteryVolts: Double?
    package var temperatureCelsius: Double?
    package var alarms: [Alarm]?
    package var phases: [Phase]?
    /// The total that its exporter keeps.
    package var energyWattHours: Double?

    enum CodingKeys: String, CodingKey {
        case id, name, model, connected, mode, alarms, phases
        case firmwareVersion = "firmware_version", areaID = "area_id", typeCode = "type_code"
        case ratedVoltAmperes = "rated_volt_amperes", readAt = "read_at"
        case modeCode = "mode_code", statusCode = "status_code", faultCode = "fault_code"
        case loadPercent = "load_percent", loadWatts = "load_watts", loadVoltAmperes = "load_volt_amperes"
        case inputVolts = "input_volts", inputHertz = "input_hertz"
        case outputVolts = "output_volts", outputHertz = "output_hertz", outputAmperes = "output_amperes"
        case batteryPercent = "battery_percent", batteryCharging = "battery_charging"
        case batteryRuntimeSeconds = "battery_runtime_seconds", batteryVolts = "battery_volts"
        case temperatureCelsius = "temperature_celsius", energyWattHours = "energy_watt_hours"
    }

    /// Whether the battery feeds the load; nil when the mode is not known.
    package var isOnBattery: Bool? { mode.map { $0 == OperatingMode.State.battery.rawValue } }

    /// A snapshot without values.
    package init(id: String, readAt: String) {
        self.id = id
        self.readAt = readAt
    }

    /// What a reading says.
    package init(_ reading: DeviceReading, total: EnergyTotal?) {
        let device = reading.device
        self.init(id: device.id.rawValue, readAt: RFC3339.string(reading.time.wall))
        name = device.alias.isEmpty ? nil : device.alias
        model = device.model
        firmwareVersion = device.firmwareVersion
        areaID = device.areaID
        typeCode = device.typeCode
        ratedVoltAmperes = device.rating.voltAmperes
        connected = reading.isConnected
        mode = reading.mode?.state.rawValue
        modeCode = reading.mode?.code
        statusCode = reading.statusCode
        faultCode = reading.faultCode
        loadPercent = reading.load.percent
        loadWatts = reading.load.watts
        loadVoltAmperes = reading.load.voltAmperes
        inputVolts = reading.input.volts
        inputHertz = reading.input.hertz
        outputVolts = reading.output.volts
        outputHertz = reading.output.hertz
        outputAmperes = reading.output.amperes
        batteryPercent = reading.battery.chargePercent
        batteryCharging = reading.battery.isCharging
        batteryRuntimeSeconds = reading.battery.runtimeSeconds
        batteryVolts = reading.battery.volts
        temperatureCelsius = reading.temperatureCelsius
        alarms = reading.alarms.map { Alarm(id: $0.id.isEmpty ? nil : $0.id, text: $0.text) }
        if !reading.phases.isEmpty {
            phases = reading.phases.map {
                Phase(
                    number: $0.number,
                    inputVolts: $0.inputVolts,
                    outputVolts: $0.outputVolts,
                    outputAmperes: $0.outputAmperes,
                    loadWatts: $0.loadWatts,
                    loadVoltAmperes: $0.loadVoltAmperes
                )
            }
        }
        energyWattHours = total?.wattHours
    }
}
