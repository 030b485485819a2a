// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// The criterion for a low battery, which makes machines shut down.
public struct LowBatteryRule: Sendable, Hashable {
    /// The charge in percent at or below which the battery is low.
    public var chargePercent: Int
    /// The runtime at or below which the battery is low.
    public var runtime: Duration

    /// Creates a rule.
    /// - Parameters:
    ///   - chargePercent: 0 to 100. Default 20.
    ///   - runtime: zero or more. Default 3 minutes.
    public init(chargePercent: Int = 20, runtime: Duration = .seconds(180)) {
        self.chargePercent = chargePercent
        self.runtime = runtime
    }

    /// The number of consecutive readings required: the first one after the switch to battery may report a runtime of
    /// zero.
    static let readings = 2
    /// The hysteresis of the charge, in percentage points above the threshold.
    static let chargeMargin = 5.0
    /// The hysteresis of the runtime, as a multiple of the threshold.
    static let runtimeMargin = 1.5

    /// Whether a reading indicates a low battery.
    func isLow(_ battery: DeviceReading.Battery) -> Bool {
        if let code = battery.statusCode, Self.lowCodes.contains(code) { return true }
        if let charge = battery.chargePercent, charge <= Double(chargePercent) { return true }
        if let seconds = battery.runtimeSeconds, seconds <= runtime.inSeconds { return true }
        return false
    }

    /// Whether a reading indicates that a low battery has recovered.
    func isRecovered(_ battery: DeviceReading.Battery) -> Bool {
        if let code = battery.statusCode, Self.lowCodes.contains(code) { return false }
        if let charge = battery.chargePercent, charge < min(100, Double(chargePercent) + Self.chargeMargin) {
            return false
        }
        if let seconds = battery.runtimeSeconds, seconds < runtime.inSeconds * Self.runtimeMargin { return false }
        return battery.chargePercent != nil || battery.runtimeSeconds != nil || battery.statusCode != nil
    }

    /// The values of WinPower's `batteryStatus` that mean low, following RFC 1628 (upsBatteryStatus): 3 is low, 4 is
    /// depleted.
    private static let lowCodes: Set<Int> = [3, 4]
}
