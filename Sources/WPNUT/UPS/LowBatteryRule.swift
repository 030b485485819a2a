// SPDX-License-Identifier: MIT

import WPModel

/// When the battery counts as low, which is what makes machines shut down.
public struct LowBatteryRule: Sendable, Hashable {
    /// At this charge in percent or below.
    public var chargePercent: Int
    /// At this runtime or below.
    public var runtime: Duration

    /// Creates a rule.
    /// - Parameters:
    ///   - chargePercent: 0 to 100. Default 20.
    ///   - runtime: zero or more. Default 3 minutes.
    public init(chargePercent: Int = 20, runtime: Duration = .seconds(180)) {
        self.chargePercent = chargePercent
        self.runtime = runtime
    }

    /// How many readings in a row must say so: the first one after the switch to battery may hold a runtime of zero.
    static let readings = 2
    /// How many percentage points above the threshold the charge must be before the battery is no longer low.
    static let chargeMargin = 5.0
    /// How many times the threshold the runtime must be.
    static let runtimeMargin = 1.5

    /// Whether a reading says that the battery is low.
    func isLow(_ battery: DeviceReading.Battery) -> Bool {
        if let code = battery.statusCode, Self.lowCodes.contains(code) { return true }
        if let charge = battery.chargePercent, charge <= Double(chargePercent) { return true }
        if let seconds = battery.runtimeSeconds, seconds <= runtime.inSeconds { return true }
        return false
    }

    /// Whether a reading says that a low battery has recovered.
    func isRecovered(_ battery: DeviceReading.Battery) -> Bool {
        if let code = battery.statusCode, Self.lowCodes.contains(code) { return false }
        if let charge = battery.chargePercent, charge < min(100, Double(chargePercent) + Self.chargeMargin) {
            return false
        }
        if let seconds = battery.runtimeSeconds, seconds < runtime.inSeconds * Self.runtimeMargin { return false }
        return battery.chargePercent != nil || battery.runtimeSeconds != nil || battery.statusCode != nil
    }

    /// WinPower's `batteryStatus` by the states of RFC 1628 (upsBatteryStatus): 3 is low, 4 is depleted.
    private static let lowCodes: Set<Int> = [3, 4]
}
