// SPDX-License-Identifier: MIT

import WPModel

/// Reads `activeAlarms`, whose elements are texts, numbers, or objects.
enum AlarmList {
    private enum Field: String, CaseIterable {
        case id, name, message
    }

    /// The most alarms of one device that are kept.
    private static let maximumCount = 100
    private static let fields = FieldTable<Field>()

    /// The alarms of a list, without repeats, in order; none when the value is no list.
    static func read(_ reader: inout JSONReader) throws(JSONFault) -> [DeviceReading.Alarm] {
        guard try reader.enterArray() else {
            try reader.skipValue()
            return []
        }
        var alarms: [DeviceReading.Alarm] = []
        var known: Set<DeviceReading.Alarm> = []
        while try reader.nextElement() {
            guard alarms.count < maximumCount else {
                try reader.skipValue()
                continue
            }
            if let alarm = try readOne(&reader), known.insert(alarm).inserted { alarms.append(alarm) }
        }
        return alarms
    }

    /// - Returns: nil when the element says nothing.
    private static func readOne(_ reader: inout JSONReader) throws(JSONFault) -> DeviceReading.Alarm? {
        guard try reader.enterObject() else {
            let scalar = try reader.readScalar()
            guard let text = reader.text(scalar)?.prefix(bytes: 1024), !text.isEmpty else { return nil }
            if case .number = scalar { return DeviceReading.Alarm(id: text, text: text) }
            return DeviceReading.Alarm(text: text)
        }
        var id: String?
        var name: String?
        var message: String?
        while let key = try reader.nextKey() {
            switch fields.field(key, in: reader) {
            case .id: id = try reader.readText()
            case .name: name = try reader.readText()
            case .message: message = try reader.readText()
            case nil: try reader.skipValue()
            }
        }
        return (name ?? message ?? id).map { DeviceReading.Alarm(id: id ?? "", text: $0) }
    }
}
