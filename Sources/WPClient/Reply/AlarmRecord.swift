// SPDX-License-Identifier: MIT

import WPModel

/// The elements of `activeAlarms`: strings, numbers and objects.
enum AlarmRecord {
    /// The maximum number of alarms per device.
    static let maximumCount = 100

    /// The alarms of a list, without duplicates, in order.
    static func alarms(in list: [JSONValue]) -> [DeviceReading.Alarm] {
        var alarms: [DeviceReading.Alarm] = []
        var known: Set<DeviceReading.Alarm> = []
        for element in list where alarms.count < maximumCount {
            if let alarm = alarm(element), known.insert(alarm).inserted { alarms.append(alarm) }
        }
        return alarms
    }

    /// Nil for an empty element.
    private static func alarm(_ element: JSONValue) -> DeviceReading.Alarm? {
        switch element {
        case .object(let object):
            let id = object.text("id")
            return (object.text("name") ?? object.text("message") ?? id).map { .init(id: id ?? "", text: $0) }
        case .text(let text):
            return text.isEmpty ? nil : .init(text: text.prefix(bytes: 1024))
        default:
            return element.text.map { .init(id: $0, text: $0) }
        }
    }
}
