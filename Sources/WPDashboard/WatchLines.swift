// SPDX-License-Identifier: MIT

import WPLogging
package import WPModel
import WPTerminal
import WPText

/// A reading as lines for programs and files: one per device, of `key=value` pairs (logfmt).
package struct WatchLines: Sendable {
    private let state: WatchState
    private let time: String

    /// Creates the lines of the reading that ended last.
    package init(_ state: WatchState, at now: TimePoint) {
        self.state = state
        time = RFC3339.string(now.wall, fraction: .seconds)
    }

    /// The lines, each without its end: those of the devices, or one that says why they could not be read.
    package var lines: [String] {
        if let failure = state.failure {
            let age = state.lastSuccess.map { [("last_success", RFC3339.string($0.wall, fraction: .seconds))] } ?? []
            return [
                line(
                    [("error", failure.reason.rawValue), ("failures", String(failure.count))] + age
                        + [("message", failure.message)]
                )
            ]
        }
        return state.readings.map(line)
    }

    private func line(_ reading: DeviceReading) -> String {
        let text = DeviceText(reading)
        let numbers: [(String, Double?, Int)] = [
            ("load_percent", reading.load.percent, 1),
            ("load_watts", reading.load.watts, 1),
            ("battery_percent", reading.battery.chargePercent, 0),
            ("battery_runtime_seconds", reading.battery.runtimeSeconds, 0),
            ("input_volts", reading.input.volts, 1),
            ("output_volts", reading.output.volts, 1),
            ("temperature_celsius", reading.temperatureCelsius, 1),
            ("session_watt_hours", state.session[reading.device.id]?.wattHours, 3),
            ("total_watt_hours", state.stored.wattHours(of: reading.device.id), 3),
        ]
        let values = numbers.compactMap { name, value, decimals in
            value.map { (name, Decimals.text($0, decimals)) }
        }
        let mode = text.mode == DeviceText.absent ? [] : [("mode", text.mode)]
        let alarms = text.alarms == "none" ? [] : [("alarms", text.alarms)]
        return line(
            [("device", reading.device.id.rawValue), ("name", reading.device.alias)] + mode + values
                + alarms
        )
    }

    private func line(_ pairs: [(String, String)]) -> String {
        ([("time", time)] + pairs).map { "\($0)=\(Self.value($1))" }.joined(separator: " ")
    }

    /// A value that ends where it should: in quotes unless it is one plain word.
    private static func value(_ text: String) -> String {
        let text = TerminalText.printable(text)
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" || $0 == "\\" }) else {
            return text
        }
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}

extension DeviceDocument.Failure {
    /// A failure of a watch.
    init(_ failure: FailureRun) {
        self.init(
            reason: failure.reason.rawValue,
            message: failure.message,
            since: RFC3339.string(failure.since.wall),
            count: failure.count
        )
    }
}
