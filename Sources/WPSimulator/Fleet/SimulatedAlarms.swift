// SPDX-License-Identifier: MIT

/// The alarms of a device, by scenario. The messages are invented; real servers use both forms of elements.
struct SimulatedAlarms {
    /// `activeAlarms`.
    let list: [JSON]
    /// `realtime.faultCode`; empty if there is none.
    let faultCode: String

    init(device: SimulatedDevice, scenario: Scenario, isOnBattery: Bool) {
        let mainsFailure = Self.object(id: "1001", name: "Utility failure", message: "The mains input is out of range.")
        let overload = Self.object(id: "1002", name: "Overload", message: "The load is above the rating.")
        guard device.kind == .ups else {
            list = []
            faultCode = ""
            return
        }
        switch (scenario, device.index % 3) {
        case (.alarm, 0):
            list = [.string("Fan failure"), .string("Battery replacement required")]
            faultCode = device.index == 0 ? "17" : ""
        case (.alarm, 1):
            list = [mainsFailure, overload]
            faultCode = ""
        case (.alarm, _):
            // A duplicate alarm: WinPower's list may contain duplicates.
            list = [overload, .string("Fan failure"), overload]
            faultCode = ""
        default:
            list = isOnBattery ? [mainsFailure] : []
            faultCode = ""
        }
    }

    private static func object(id: String, name: String, message: String) -> JSON {
        .object([("id", .string(id)), ("name", .string(name)), ("message", .string(message))])
    }
}
