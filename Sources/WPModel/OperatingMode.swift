// SPDX-License-Identifier: MIT

/// How a UPS feeds its load: `realtime.mode` of the WinPower API.
public struct OperatingMode: Hashable, Sendable {
    /// The vendor's code, preserved even if unknown.
    public let code: Int

    /// Creates a mode.
    /// - Parameter code: the vendor's code.
    public init(code: Int) {
        self.code = code
    }

    /// The meaning of the code; ``State/unknown`` for a code outside 0 to 6.
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

    /// The known modes. The raw value is the name in metrics and tables.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Code 0: starting.
        case powerOn = "power_on"
        /// Code 1: no output.
        case standby
        /// Code 2: the mains feed the load directly.
        case bypass
        /// Code 3: the mains feed the load through the inverter, the normal state.
        case line
        /// Code 4: the battery feeds the load.
        case battery
        /// Code 5: a battery test is running.
        case batteryTest = "battery_test"
        /// Code 6: the device is faulty.
        case fault
        /// Any other code.
        case unknown
    }
}
