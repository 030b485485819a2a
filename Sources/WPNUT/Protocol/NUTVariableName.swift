// SPDX-License-Identifier: MIT

import WPModel

/// A variable that the server publishes, by its NUT name.
struct NUTVariableName: Sendable, Hashable, CustomStringConvertible {
    let rawValue: String
    /// A short description.
    let description: String

    static let deviceManufacturer = Self("device.mfr", "Manufacturer of the device")
    static let deviceModel = Self("device.model", "Model of the device")
    static let deviceSerial = Self("device.serial", "Serial number of the device")
    static let deviceType = Self("device.type", "Type of the device")
    static let deviceDescription = Self("device.description", "Alias of the device in WinPower")
    static let upsStatus = Self("ups.status", "UPS status")
    static let upsAlarm = Self("ups.alarm", "Active alarms")
    static let upsFirmware = Self("ups.firmware", "Firmware version")
    static let upsManufacturer = Self("ups.mfr", "Manufacturer of the UPS")
    static let upsModel = Self("ups.model", "Model of the UPS")
    static let upsID = Self("ups.id", "Identifier of the UPS in WinPower")
    static let batteryChargeLow = Self(
        "battery.charge.low",
        "Battery charge in percent at which the battery counts as low"
    )
    static let batteryRuntimeLow = Self(
        "battery.runtime.low",
        "Battery runtime in seconds at which the battery counts as low"
    )
    static let batteryChargerStatus = Self("battery.charger.status", "Status of the battery charger")
    static let inputPhases = Self("input.phases", "Number of input phases")
    static let outputPhases = Self("output.phases", "Number of output phases")
    static let driverName = Self("driver.name", "Name of the driver")
    static let driverVersion = Self("driver.version", "Version of the driver")

    private static let all: [Self] = {
        let own: [Self] = [
            .deviceManufacturer, .deviceModel, .deviceSerial, .deviceType, .deviceDescription, .upsStatus, .upsAlarm,
            .upsFirmware, .upsManufacturer, .upsModel, .upsID, .batteryChargeLow, .batteryRuntimeLow,
            .batteryChargerStatus, .inputPhases, .outputPhases, .driverName, .driverVersion,
        ]
        let ofPhases = PhaseQuantity.numbers.flatMap { phase in
            PhaseQuantity.all.compactMap { Self($0, phase: phase) }
        }
        return own + UPSQuantity.all.compactMap { Self($0) } + ofPhases
    }()

    private static let byLowercase = Dictionary(
        uniqueKeysWithValues: all.map { ($0.rawValue.asciiLowercased, $0) }
    )

    private init(_ name: String, _ description: String) {
        rawValue = name
        self.description = description
    }

    /// The variable of a quantity; nil if NUT has none.
    /// - Parameter phase: the phase number of the quantity.
    init?<Root>(_ quantity: Quantity<Root>, phase: Int? = nil) {
        guard let name = quantity.nut else { return nil }
        rawValue = phase.map { number in String(name.map { $0 == "#" ? Character("\(number)") : $0 }) } ?? name
        description = String(quantity.help.dropLast())
    }

    /// The variable with a name, ignoring case.
    init?(anyCase name: String) {
        guard let found = Self.byLowercase[name.asciiLowercased] else { return nil }
        self = found
    }
}
