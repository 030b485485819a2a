// SPDX-License-Identifier: MIT

/// The words of `ups.status`.
struct UPSStatus: OptionSet, Sendable, Hashable, CustomStringConvertible {
    let rawValue: UInt16

    /// Alarms are active; their messages are in `ups.alarm`.
    static let alarm = UPSStatus(rawValue: 1 << 0)
    /// The mains are present.
    static let online = UPSStatus(rawValue: 1 << 1)
    /// The battery feeds the load.
    static let onBattery = UPSStatus(rawValue: 1 << 2)
    /// The battery is low. Combined with ``onBattery``, it makes clients shut down.
    static let lowBattery = UPSStatus(rawValue: 1 << 3)
    static let charging = UPSStatus(rawValue: 1 << 4)
    static let discharging = UPSStatus(rawValue: 1 << 5)
    static let bypass = UPSStatus(rawValue: 1 << 6)
    /// A battery test is running.
    static let calibration = UPSStatus(rawValue: 1 << 7)
    /// The load exceeds the rating.
    static let overload = UPSStatus(rawValue: 1 << 8)
    /// The load is not powered.
    static let off = UPSStatus(rawValue: 1 << 9)

    private static let words: [(UPSStatus, String)] = [
        (.alarm, "ALARM"), (.online, "OL"), (.onBattery, "OB"), (.lowBattery, "LB"), (.charging, "CHRG"),
        (.discharging, "DISCHRG"), (.bypass, "BYPASS"), (.calibration, "CAL"), (.overload, "OVER"), (.off, "OFF"),
    ]

    /// The words in NUT's order, such as `OB LB DISCHRG`.
    var description: String { Self.words.filter { contains($0.0) }.map(\.1).joined(separator: " ") }
}
