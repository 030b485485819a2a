// SPDX-License-Identifier: MIT

import WPModel

/// Maps the readings of one UPS to the words of `ups.status`, and tracks whether the battery is low.
///
/// Two rules take precedence: an incomplete status is better than a guessed one, and `LB` is never reported while the
/// mains are present.
struct UPSStatusMapper: Sendable, Hashable {
    private var isLow = false
    private var lowReadings = 0
    /// Whether the device has ever reported a nonzero runtime.
    private var estimatesRuntime = false

    /// The status of a new reading.
    /// - Returns: nil if the reading does not determine whether the load is powered by the mains, powered by the
    ///   battery, or off; clients then see stale data.
    mutating func status(of reading: DeviceReading, rule: LowBatteryRule) -> UPSStatus? {
        if let seconds = reading.battery.runtimeSeconds, seconds > 0 { estimatesRuntime = true }
        // The low-battery state is kept: it ends when the mains return, not when the source is unknown.
        guard var status = Self.source(of: reading) else { return nil }
        if status.contains(.onBattery) {
            status.insert(.discharging)
            recordBattery(reading.battery, rule)
            if isLow { status.insert(.lowBattery) }
        } else {
            forgetLow()
            if status.contains(.calibration) {
                status.insert(.discharging)
            } else if reading.battery.isCharging == true {
                status.insert(.charging)
            }
        }
        if let percent = reading.load.percent, percent > 100 { status.insert(.overload) }
        if !reading.alarms.isEmpty || reading.faultCode != nil || reading.mode?.state == .fault {
            status.insert(.alarm)
        }
        return status
    }

    /// The load's power source; nil if unknown.
    private static func source(of reading: DeviceReading) -> UPSStatus? {
        let hasInput = isPresent(reading.input.volts, reading)
        let hasOutput = isPresent(reading.output.volts, reading)
        switch reading.mode?.state {
        case .line: return .online
        case .battery: return .onBattery
        // The mains are present during a test, so clients must not treat it as an outage.
        case .batteryTest: return [.online, .calibration]
        case .bypass: return [.online, .bypass]
        case .standby, .powerOn: return hasInput == true ? [.online, .off] : .off
        // The mode does not determine the power source, so use the voltages.
        case .fault, .unknown, nil:
            if hasInput == true { return .online }
            if hasInput == false, hasOutput == true { return .onBattery }
            if hasInput == false, hasOutput == false { return .off }
            return nil
        }
    }

    /// Whether a voltage is present: at least half of the rated voltage, or 50 V if that is unknown; nil if the voltage
    /// is unknown.
    private static func isPresent(_ volts: Double?, _ reading: DeviceReading) -> Bool? {
        let rated = reading.device.rating.volts ?? 0
        return volts.map { $0 >= (rated > 0 ? rated / 2 : 50) }
    }

    private mutating func recordBattery(_ battery: DeviceReading.Battery, _ rule: LowBatteryRule) {
        if isLow {
            if rule.isRecovered(battery) { forgetLow() }
            return
        }
        var battery = battery
        // A device without runtime estimation may report zero; its charge is more reliable.
        if !estimatesRuntime, battery.chargePercent != nil { battery.runtimeSeconds = nil }
        lowReadings = rule.isLow(battery) ? lowReadings + 1 : 0
        isLow = lowReadings >= LowBatteryRule.readings
    }

    private mutating func forgetLow() {
        isLow = false
        lowReadings = 0
    }
}
