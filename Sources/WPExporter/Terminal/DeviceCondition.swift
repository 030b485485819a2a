// SPDX-License-Identifier: MIT

package import WPModel

/// The severity of a device's condition.
package enum DeviceCondition: Int, Sendable, Hashable, Comparable {
    /// No problem.
    case good
    /// It works, but there is an alarm, a mains failure, a bypass or an overload.
    case attention
    /// It has a fault, or WinPower cannot reach it.
    case trouble

    /// The condition of a reading.
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

    /// Orders by severity.
    package static func < (left: DeviceCondition, right: DeviceCondition) -> Bool {
        left.rawValue < right.rawValue
    }
}
