// SPDX-License-Identifier: MIT

import WPModel
import WPTerminal

/// The values of a reading for display. Unreported values are `-`.
struct DeviceText {
    /// Replaces a missing value.
    static let absent = "-"

    let reading: DeviceReading

    init(_ reading: DeviceReading) {
        self.reading = reading
    }

    /// A unique name for each reading: the alias, followed by the identifier if several devices share it; the
    /// identifier if there is no alias.
    static func names(_ readings: [DeviceReading]) -> [String] {
        let counts = readings.reduce(into: [String: Int]()) { $0[$1.device.alias, default: 0] += 1 }
        return readings.map { reading in
            let alias = oneLine(reading.device.alias)
            if alias.isEmpty { return oneLine(reading.device.id.rawValue) }
            return counts[reading.device.alias] == 1 ? alias : "\(alias) (\(oneLine(reading.device.id.rawValue)))"
        }
    }

    /// A string without consecutive spaces, which would look like a column gap.
    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// A number with a fixed number of decimals.
    static func number(_ value: Double?, _ decimals: Int) -> String {
        value.map { Decimals.text($0, decimals) } ?? absent
    }

    /// A duration in its two largest units: `45s`, `12m`, `1h05m`, `2d03h`.
    static func span(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 1e9 else { return absent }
        let whole = Int(seconds)
        func pair(_ large: Int, _ largeUnit: String, _ small: Int, _ smallUnit: String) -> String {
            "\(large)\(largeUnit)\(small < 10 ? "0" : "")\(small)\(smallUnit)"
        }
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3600: return "\(whole / 60)m"
        case ..<86_400: return pair(whole / 3600, "h", whole / 60 % 60, "m")
        default: return pair(whole / 86_400, "d", whole / 3600 % 24, "h")
        }
    }

    /// The operating mode; `unreachable` if WinPower cannot reach the device.
    var mode: String {
        if reading.isConnected == false { return "unreachable" }
        guard let mode = reading.mode else { return Self.absent }
        return mode.state == .unknown ? "unknown (\(mode.code))" : mode.state.rawValue
    }

    /// The fault and the alarms as text, preceded by their number if there are several.
    var alarms: String {
        var texts = reading.alarms.map { Self.oneLine($0.text.isEmpty ? $0.id : $0.text) }
        if let fault = reading.faultCode { texts.insert("fault " + Self.oneLine(fault), at: 0) }
        let count = texts.count > 1 ? "\(texts.count): " : ""
        return texts.isEmpty ? "none" : count + texts.joined(separator: "; ")
    }

    /// The style of the row.
    var style: TextStyle {
        switch DeviceCondition(reading) {
        case .trouble: TextStyle(.red, isBold: true)
        case .attention: TextStyle(.yellow)
        case .good: reading.mode?.state == .line ? TextStyle(.green) : .plain
        }
    }

    /// The style of its values, which are dimmed for an unreachable device.
    var valueStyle: TextStyle { reading.isConnected == false ? .dim : .plain }

    /// The style of an alarm.
    var alarmStyle: TextStyle {
        reading.alarms.isEmpty && reading.faultCode == nil ? valueStyle : style
    }
}
