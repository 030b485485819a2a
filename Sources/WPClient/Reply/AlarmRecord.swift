// SPDX-License-Identifier: MIT

import WPModel

/// An element of `activeAlarms`: a text, a number, or an object.
struct AlarmRecord: Decodable {
    /// nil when the element says nothing.
    let alarm: DeviceReading.Alarm?

    /// The most alarms of one device that are kept.
    static let maximumCount = 100

    private enum Key: String, CodingKey { case id, name, message }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            let id = container.text(.id)
            alarm = (container.text(.name) ?? container.text(.message) ?? id).map { text in
                DeviceReading.Alarm(id: id ?? "", text: text)
            }
        } else if let container = try? decoder.singleValueContainer(), let text = try? container.decode(String.self) {
            alarm = text.isEmpty ? nil : DeviceReading.Alarm(text: text.prefix(bytes: 1024))
        } else if let container = try? decoder.singleValueContainer(), let number = try? container.decode(Double.self) {
            alarm = LooseValue.number(number).text.map { DeviceReading.Alarm(id: $0, text: $0) }
        } else {
            alarm = nil
        }
    }

    /// The alarms of a list, without repeats, in order.
    static func alarms(in list: inout any UnkeyedDecodingContainer) -> [DeviceReading.Alarm] {
        var alarms: [DeviceReading.Alarm] = []
        var known: Set<DeviceReading.Alarm> = []
        while !list.isAtEnd, alarms.count < maximumCount, let record = try? list.decode(AlarmRecord.self) {
            if let alarm = record.alarm, known.insert(alarm).inserted { alarms.append(alarm) }
        }
        return alarms
    }
}
