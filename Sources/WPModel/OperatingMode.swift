// SPDX-License-Identifier: MIT

/// How a UPS feeds its load: `realtime.mode` of the WinPower API.
public struct OperatingMode: Hashable, Sendable {
    /// The vendor's code, kept as it came even when it is not one of the known ones.
    public let code: Int

    /// Creates a mode.
    /// - Parameter code: the vendor's code.
    public init(code: Int) {
        self.code = code
    }

    /// What the code means; ``State/unknown`` for a code outside 0 to 6.
    public var state: State {
        switch code {
        case 0: .powerOn
        case 1: .standby
        case 2: .bypass
        case 3: .line
        case 4: .battery
        case 5: .batteryTest
        case 6: .fault
        default: .unknown
        }
    }

    /// The known meanings of a mode's code. The raw value is the name that metrics and tables use.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Code 0: starting.
        case powerOn = "power_on"
        /// Code 1: no output.
        case standby
        /// Code 2: mains straight to the load.
        case bypass
        /// Code 3: mains through the inverter, the normal state.
        case line
        /// Code 4: the battery feeds the load.
        case battery
        /// Code 5: a battery test runs.
        case batteryTest = "battery_test"
        /// Code 6: the device is faulty.
        case fault
        /// Any other code.
        case unknown
    }
}
