// SPDX-License-Identifier: MIT

package import WPModel
import WPText

/// One reading of all devices as a JSON document. What was not reported has no key; units are in the names.
///
/// Keys are added in later versions, but none is renamed or removed while `version` stays.
package struct DeviceDocument: Encodable, Sendable {
    /// What the document is.
    package let format = "winpower-exporter devices"
    /// The version of its keys.
    package let version = 1
    /// The address of the WinPower server.
    package var server: String
    /// When the document was made: RFC 3339, UTC.
    package var time: String
    /// Why the devices could not be read this time; if so, those listed are the last ones known.
    package var failure: Failure?
    /// The devices, in the server's order.
    package var devices: [Entry]

    /// Creates a document.
    /// - Parameters:
    ///   - server: the address of the WinPower server, without credentials.
    ///   - time: this moment.
    ///   - readings: the devices.
    package init(server: String, time: TimePoint, readings: [DeviceReading]) {
        self.server = server
        self.time = RFC3339.string(time.wall)
        devices = readings.map(Entry.init)
    }

    /// Why a reading failed.
    package struct Failure: Encodable, Sendable {
        /// The kind: the `reason` label of `winpower_exporter_scrape_errors_total`.
        package var reason: String
        /// What happened and what to do.
        package var message: String
        /// When the first of the readings that failed in a row did.
        package var since: String
        /// How many failed in a row.
        package var count: Int
    }

    /// The energy of a device in watt-hours.
    package struct Energy: Encodable, Sendable {
        /// Since the program that writes the document has started.
        package var sessionWattHours: Double
        /// The total that an exporter keeps in the data directory.
        package var totalWattHours: Double?

        enum CodingKeys: String, CodingKey {
            case sessionWattHours = "session_watt_hours"
            case totalWattHours = "total_watt_hours"
        }
    }

    /// A device and its values.
    package struct Entry: Encodable, Sendable {
        private let reading: DeviceReading
        /// Its energy, where it is metered.
        package var energy: Energy?

        init(_ reading: DeviceReading) {
            self.reading = reading
        }

        /// Writes the keys of a device.
        package func encode(to encoder: any Encoder) throws {
            var keys = encoder.container(keyedBy: Key.self)
            let device = reading.device
            try keys.encode(device.id.rawValue, forKey: "id")
            if !device.alias.isEmpty { try keys.encode(device.alias, forKey: "name") }
            try keys.encodeIfPresent(device.model, forKey: "model")
            try keys.encodeIfPresent(device.firmwareVersion, forKey: "firmware_version")
            try keys.encodeIfPresent(device.typeCode, forKey: "type_code")
            try keys.encodeIfPresent(device.areaID, forKey: "area_id")
            try keys.encodeIfPresent(device.rating.voltAmperes, forKey: "rated_volt_amperes")
            try keys.encode(RFC3339.string(reading.time.wall), forKey: "read_at")
            try keys.encodeIfPresent(reading.isConnected, forKey: "connected")
            try keys.encodeIfPresent(reading.mode?.state.rawValue, forKey: "mode")
            try keys.encodeIfPresent(reading.mode?.code, forKey: "mode_code")
            try keys.encodeIfPresent(reading.statusCode, forKey: "status_code")
            try keys.encodeIfPresent(reading.faultCode, forKey: "fault_code")
            try keys.encodeIfPresent(reading.load.percent, forKey: "load_percent")
            try keys.encodeIfPresent(reading.load.watts, forKey: "load_watts")
            try keys.encodeIfPresent(reading.load.voltAmperes, forKey: "load_volt_amperes")
            try keys.encodeIfPresent(reading.input.volts, forKey: "input_volts")
            try keys.encodeIfPresent(reading.input.hertz, forKey: "input_hertz")
            try keys.encodeIfPresent(reading.output.volts, forKey: "output_volts")
            try keys.encodeIfPresent(reading.output.hertz, forKey: "output_hertz")
            try keys.encodeIfPresent(reading.output.amperes, forKey: "output_amperes")
            try keys.encodeIfPresent(reading.battery.chargePercent, forKey: "battery_percent")
            try keys.encodeIfPresent(reading.battery.isCharging, forKey: "battery_charging")
            try keys.encodeIfPresent(reading.battery.runtimeSeconds, forKey: "battery_runtime_seconds")
            try keys.encodeIfPresent(reading.battery.volts, forKey: "battery_volts")
            try keys.encodeIfPresent(reading.temperatureCelsius, forKey: "temperature_celsius")
            try keys.encode(reading.alarms.map { Alarm(id: $0.id, text: $0.text) }, forKey: "alarms")
            if !reading.phases.isEmpty { try keys.encode(reading.phases.map(Phase.init), forKey: "phases") }
            try keys.encodeIfPresent(energy, forKey: "energy")
        }
    }

    private struct Alarm: Encodable {
        var id: String
        var text: String
    }

    private struct Phase: Encodable {
        let phase: DeviceReading.Phase

        init(_ phase: DeviceReading.Phase) {
            self.phase = phase
        }

        func encode(to encoder: any Encoder) throws {
            var keys = encoder.container(keyedBy: Key.self)
            try keys.encode(phase.number, forKey: "number")
            try keys.encodeIfPresent(phase.inputVolts, forKey: "input_volts")
            try keys.encodeIfPresent(phase.outputVolts, forKey: "output_volts")
            try keys.encodeIfPresent(phase.outputAmperes, forKey: "output_amperes")
            try keys.encodeIfPresent(phase.loadWatts, forKey: "load_watts")
            try keys.encodeIfPresent(phase.loadVoltAmperes, forKey: "load_volt_amperes")
        }
    }

    /// A key by its text.
    private struct Key: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringLiteral text: String) {
            stringValue = text
        }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
