// SPDX-License-Identifier: MIT

package import WPModel

/// How urgently a device needs attention.
package enum DeviceCondition: Int, Sendable, Hashable, Comparable {
    /// Nothing is the matter.
    case good
    /// It works, and something is out of the ordinary: an alarm, no mains, a bypass, an overload.
    case attention
    /// It has a fault, or WinPower does not reach it.
    case trouble

    /// The condition that a reading shows.
    package init(_ reading: DeviceReading) {
        if reading.isConnected == false || reading.faultCode != nil || reading.mode?.state == .fault {
            self = .trouble
        } else if !reading.alarms.isEmpty || (reading.load.percent ?? 0) > 100 {
            self = .attention
        } else {
            switch reading.mode?.state {
            case .battery, .batteryTest, .bypass, .standby, .unknown: self = .attention
            case .line, .powerOn, .fault, nil: self = .good
            }
        }
    }

    /// Orders by urgency.
    package static func < (left: DeviceCondition, right: DeviceCondition) -> Bool {
        left.rawValue < right.rawValue
    }
}
