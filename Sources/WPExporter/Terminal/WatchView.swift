// SPDX-License-Identifier: MIT

package import WPCore
import WPModel
package import WPTerminal

/// The screen of a watch: a heading, any failure, one row per device, and a footer.
package struct WatchView: Sendable {
    private let state: WatchState
    private let now: TimePoint
    private let size: TerminalSize
    private let glyphs: Glyphs
    private let endsByKey: Bool

    /// Creates a view.
    /// - Parameters:
    ///   - state: the state of the watch.
    ///   - now: the current moment, for ages.
    ///   - size: the terminal's size.
    ///   - glyphs: the characters of bars.
    ///   - endsByKey: whether a key ends the watch, in addition to signals.
    package init(_ state: WatchState, now: TimePoint, size: TerminalSize, glyphs: Glyphs, endsByKey: Bool = true) {
        self.state = state
        self.now = now
        self.size = size
        self.glyphs = glyphs
        self.endsByKey = endsByKey
    }

    /// The lines, limited to the terminal's width and height.
    package var lines: [StyledText] {
        var head = [title, summary]
        head += outage
        head.append("")
        let room = size.rows - head.count - 2
        var body = table(devices: max(room - 1, 0))
        if state.readings.isEmpty, state.lastSuccess != nil { body = ["WinPower lists no devices for this account."] }
        let gap = max(0, size.rows - head.count - body.count - 1)
        let all = head + body + Array(repeating: "", count: gap) + [foot]
        return all.prefix(size.rows).map { $0.cut(to: size.columns, mark: glyphs.cut) }
    }

    // MARK: Heading

    private var title: StyledText {
        let left = StyledText("wpexporter watch", .bold) + "  " + StyledText(state.server)
        let right = StyledText(freshness, .dim)
        let room = size.columns - right.width - 2
        guard room >= 20 else { return left }
        return left.cut(to: room, mark: glyphs.cut).padded(to: size.columns - right.width) + right
    }

    private var freshness: String {
        let intervalText = "every \(Self.intervalText(state.interval))"
        guard let last = state.lastSuccess else { return intervalText }
        return "\(intervalText), read \(Self.age(now.since(last))) ago"
    }

    private var summary: StyledText {
        guard state.lastSuccess != nil else {
            return state.failure == nil
                ? StyledText("Reading the devices for \(Self.age(now.since(state.start)))", .dim)
                : "No devices have been read yet."
        }
        // The power of an unreachable device is unknown; its value is outdated.
        let watts = state.readings.filter { $0.isConnected != false }.compactMap(\.load.watts).reduce(0, +)
        let wattHours = state.session.values.reduce(0.0) { $0 + $1.wattHours }
        let devices = state.readings.count == 1 ? "1 device" : "\(state.readings.count) devices"
        var text = StyledText(
            "\(devices), \(Decimals.text(watts, 0)) W, \(Decimals.text(wattHours, 3)) Wh in \(Self.age(now.since(state.start)))"
        )
        for (count, words, style) in notable where count > 0 {
            text = text + "  " + StyledText("\(count) \(words)", style)
        }
        return text
    }

    private var notable: [(Int, String, TextStyle)] {
        func count(_ condition: (DeviceReading) -> Bool) -> Int { state.readings.count(where: condition) }
        return [
            (count { $0.isConnected == false }, "unreachable", TextStyle(.red, isBold: true)),
            (
                count { $0.isConnected != false && ($0.faultCode != nil || $0.mode?.state == .fault) }, "with a fault",
                TextStyle(.red, isBold: true)
            ),
            (count { $0.isConnected != false && $0.mode?.state == .battery }, "on battery", TextStyle(.yellow)),
            (count { !$0.alarms.isEmpty }, "with alarms", TextStyle(.yellow)),
        ]
    }

    /// Why there are no new readings, in at most four lines.
    private var outage: [StyledText] {
        guard let failure = state.failure else { return [] }
        let readings = failure.count == 1 ? "1 reading" : "\(failure.count) readings"
        var first =
            "No reply for \(Self.age(now.since(failure.since))): \(readings) failed (\(failure.reason.rawValue))."
        if let last = state.lastSuccess { first += " Values are \(Self.age(now.since(last))) old." }
        let style = TextStyle(.red, isBold: true)
        let message = TerminalText.wrap(TerminalText.printable(failure.message), width: size.columns - 2)
        var shown = message.prefix(3).map { StyledText("  " + $0) }
        if message.count > shown.count, let last = shown.popLast() {
            shown.append((last + StyledText(" " + message[3])).cut(to: size.columns, mark: glyphs.cut))
        }
        return TerminalText.wrap(first, width: size.columns).map { StyledText($0, style) } + shown
    }

    // MARK: Devices

    /// The table of as many devices as fit, the most severe first if some are omitted.
    private func table(devices room: Int) -> [StyledText] {
        guard !state.readings.isEmpty else { return [] }
        let named = Array(zip(state.readings, DeviceText.names(state.readings)))
        guard named.count > room else { return rows(named) }
        let urgent = named.enumerated().sorted { left, right in
            let (first, second) = (DeviceCondition(left.element.0), DeviceCondition(right.element.0))
            return first == second ? left.offset < right.offset : first > second
        }
        let shown = urgent.prefix(max(room - 1, 0)).map(\.element)
        let rest = named.count - shown.count
        return rows(shown) + [StyledText("and \(rest) more; those that need attention come first", .dim)]
    }

    private func rows(_ devices: [(DeviceReading, String)]) -> [StyledText] {
        let rows = devices.map { reading, name in row(reading, name) }
        return TextTable(columns, rows: rows).lines(width: size.columns, mark: glyphs.cut)
    }

    private var columns: [TextTable.Column] {
        var columns = [
            TextTable.Column("NAME", minimumWidth: isNarrow ? 6 : 10, comfortableWidth: 24),
            TextTable.Column("MODE", minimumWidth: isNarrow ? 7 : nil),
            TextTable.Column("LOAD"),
            TextTable.Column("POWER W", .right),
            TextTable.Column(isNarrow ? "BATT" : "BATTERY"),
            TextTable.Column("LEFT", .right, dropOrder: 2),
        ]
        if hasTotals { columns.append(TextTable.Column("TOTAL kWh", .right, dropOrder: 1)) }
        columns.append(TextTable.Column("SESSION Wh", .right, dropOrder: hasTotals ? 4 : 1))
        columns += Self.others.map { $0.column(earlierBy: 2) }
        columns.append(TextTable.Column("ALARMS", minimumWidth: 10, comfortableWidth: 24, dropOrder: 3))
        return columns
    }

    private func row(_ reading: DeviceReading, _ name: String) -> [StyledText] {
        let text = DeviceText(reading)
        let isOld = state.failure != nil || reading.isConnected == false
        let style: TextStyle = isOld ? .dim : .plain
        let modeStyle = state.failure == nil ? text.style : .dim
        let marks = reading.alarms.count + (reading.faultCode == nil ? 0 : 1)
        func number(_ value: Double?, _ decimals: Int) -> StyledText {
            StyledText(DeviceText.number(value, decimals), style)
        }
        var cells: [StyledText] = [
            StyledText(name, DeviceCondition(reading) == .good ? style : modeStyle),
            StyledText(text.mode + (marks > 0 ? " !\(marks)" : ""), modeStyle),
            bar(reading.load.percent, isOld ? .dim : TextStyle(Self.loadColour(reading.load.percent))),
            number(reading.load.watts, 0),
            bar(
                reading.battery.chargePercent,
                isOld ? .dim : TextStyle(Self.chargeColour(reading.battery.chargePercent))
            ),
            StyledText(DeviceText.span(reading.battery.runtimeSeconds), style),
        ]
        if hasTotals { cells.append(number(state.stored.wattHours(of: reading.device.id).map { $0 / 1000 }, 3)) }
        return cells + [number(state.session[reading.device.id]?.wattHours, 3)]
            + Self.others.map { StyledText($0.text(reading), style) }
            + [StyledText(text.alarms, state.failure == nil ? text.alarmStyle : .dim)]
    }

    /// The usual columns except load, power, charge and runtime, which precede the energy.
    private static let others = QuantityColumn.usual.filter {
        ![.loadPercent, .loadWatts, .batteryPercent, .batteryRuntime].map(\UPSQuantity.index).contains(
            $0.quantity.index
        )
    }

    private var hasTotals: Bool {
        if case .totals = state.stored { return true }
        return false
    }

    /// A percentage and its bar.
    private func bar(_ percent: Double?, _ style: TextStyle) -> StyledText {
        let number = StyledText(percent.map { Decimals.text($0, 0) + "%" } ?? DeviceText.absent).padded(to: 4, .right)
        guard let percent, !isNarrow else { return number }
        let bar = glyphs.bar(percent / 100, width: barWidth)
        return number.styled(style.isDim ? .dim : .plain) + " " + StyledText(bar.full, style)
            + StyledText(bar.rest, .dim)
    }

    /// Whether there is only room for names, modes and numbers.
    private var isNarrow: Bool { size.columns < 50 }

    /// The length of bars, which grows with the terminal's width.
    private var barWidth: Int {
        switch size.columns {
        case ..<70: 4
        case ..<100: 7
        case ..<130: 10
        case ..<170: 14
        default: 20
        }
    }

    private static func loadColour(_ percent: Double?) -> TextStyle.Colour {
        switch percent ?? 0 {
        case ..<75: .green
        case ..<90: .yellow
        default: .red
        }
    }

    private static func chargeColour(_ percent: Double?) -> TextStyle.Colour {
        switch percent ?? 0 {
        case ..<25: .red
        case ..<60: .yellow
        default: .green
        }
    }

    // MARK: Footer

    private var foot: StyledText {
        let end = endsByKey ? "q ends." : "Ctrl-C ends."
        switch state.stored {
        case .none: return StyledText("\(end) Energy was metered by this watch.", .dim)
        case .totals(_, let directory):
            return StyledText("\(end) TOTAL is the exporter's total in \(directory).", .dim)
        case .unreadable(let why): return StyledText("\(end) No totals: \(why)", TextStyle(.yellow))
        }
    }

    private static func age(_ span: Duration) -> String {
        DeviceText.span(max(0, span.inSeconds))
    }

    /// An interval in seconds, with a decimal if needed.
    private static func intervalText(_ span: Duration) -> String {
        let seconds = span.inSeconds
        return Decimals.text(seconds, seconds == seconds.rounded() ? 0 : 1) + "s"
    }
}
