// SPDX-License-Identifier: MIT

import WPModel

/// Turns the readings of one UPS into the words of `ups.status`, with a memory for whether the battery is low.
///
/// Two rules come before all others: a status that says less is better than one that is guessed, and `LB` is never said while
/// the mains are present.
struct UPSStatusMapper: Sendable, Hashable {
    private var isLow = false
    private var lowReadings = 0
    /// Whether the device has ever reported a runtime above zero.
    private var estimatesRuntime = false

    /// The status of a new reading.
    /// - Returns: nil when the reading does not say whether the mains are present, the battery feeds the load, or the load is
    ///   off; clients are told that the data is stale then.
    mutating func status(of reading: DeviceReading, rule: LowBatteryRule) -> UPSStatus? {
        if let seconds = reading.battery.runtimeSeconds, seconds > 0 { estimatesRuntime = true }
        // Whether the battery is low is kept meanwhile: it ends when the mains are there, not when nobody knows.
        guard var status = Self.source(of: reading) else { return nil }
        if status.contains(.onBattery) {
            status.insert(.discharging)
            noteBattery(reading.battery, rule)
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

    /// Where the load's power comes from; nil when that is not known.
    private static func source(of reading: DeviceReading) -> UPSStatus? {
        let hasInput = isPresent(reading.input.volts, reading)
        let hasOutput = isPresent(reading.output.volts, reading)
        switch reading.mode?.state {
        case .line: return .online
        case .battery: return .onBattery
        // The mains are there, or the test would be an outage; a client must not take it for one.
        case .batteryTest: return [.online, .calibration]
        case .bypass: return [.online, .bypass]
        case .standby, .powerOn: return hasInput == true ? [.online, .off] : .off
        // The mode does not say where the power comes from, so the voltages must.
        case .fault, .unknown, nil:
            if hasInput == true { return .online }
            if hasInput == false, hasOutput == true { return .onBattery }
            if hasInput == false, hasOutput == false { return .off }
            return nil
        }
    }

    /// Whether a voltage is there: at least half of the rated one, or 50 V; nil when it is not known.
    private static func isPresent(_ volts: Double?, _ reading: DeviceReading) -> Bool? {
        let rated = reading.device.rating.volts ?? 0
        return volts.map { $0 >= (rated > 0 ? rated / 2 : 50) }
    }

    private mutating func noteBattery(_ battery: DeviceReading.Battery, _ rule: LowBatteryRule) {
        if isLow {
            if rule.isRecovered(battery) { forgetLow() }
            return
        }
        var battery = battery
        // A device that does not estimate the runtime may report zero; its charge tells more.
        if !estimatesRuntime, battery.chargePercent != nil { battery.runtimeSeconds = nil }
        lowReadings = rule.isLow(battery) ? lowReadings + 1 : 0
        isLow = lowReadings >= LowBatteryRule.readings
    }

    private mutating func forgetLow() {
        isLow = false
        lowReadings = 0
    }
}
