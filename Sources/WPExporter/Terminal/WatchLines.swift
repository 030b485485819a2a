// SPDX-License-Identifier: MIT

package import WPCore
import WPLogging
import WPModel
import WPTerminal

/// A reading in logfmt: one line of `key=value` pairs per device.
package struct WatchLines: Sendable {
    private let state: WatchState
    private let time: String

    /// Creates the lines of the latest reading.
    package init(_ state: WatchState, at now: TimePoint) {
        self.state = state
        time = RFC3339.string(now.wall, fraction: .seconds)
    }

    /// The lines without line feeds: one per device, or one that says why they could not be read.
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
        let numbers: [(String, Double?, Int)] =
            QuantityColumn.usual.map {
                ($0.quantity.jsonName, $0.quantity.value(of: reading), $0.layout.decimalsInLines)
            } + [
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

    /// A logfmt value, quoted unless it is one plain word.
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
