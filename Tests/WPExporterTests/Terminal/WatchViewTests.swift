// SPDX-License-Identifier: MIT

import Testing
import WPExporter
import WPModel
import WPTerminal

@Suite struct WatchViewTests {
    static let beginning = WatchState(
        server: "https://ups.example.com:8081",
        interval: .seconds(5),
        start: SampleFleet.time(-65)
    )

    static let running: WatchState = {
        var state = beginning
        state.count = 14
        state.readings = SampleFleet.readings
        state.lastSuccess = SampleFleet.time(0)
        for (index, reading) in SampleFleet.readings.enumerated() {
            state.session[reading.device.id] = EnergyTotal(joules: Double(index) * 4567.8)
        }
        return state
    }()

    static let withTotals: WatchState = {
        var state = running
        let totals = SampleFleet.readings.dropLast().enumerated().map {
            ($0.element.device.id, EnergyTotal(joules: 3.6e6 * (0.5 + 1234.5 * Double($0.offset))))
        }
        state.stored = .totals(Dictionary(totals) { first, _ in first }, directory: "./data")
        return state
    }()

    static let outage: WatchState = {
        var state = withTotals
        state.failure = FailureRun(
            reason: .connect,
            message:
                "Logging in to WinPower: POST https://ups.example.com:8081/api/v1/auth/login failed: no address took "
                + "the connection (192.0.2.7: Connection refused); check that it runs there. Check that WinPower runs, "
                + "and the host and port in winpower.base_url.",
            since: SampleFleet.time(3),
            count: 5
        )
        return state
    }()

    private func lines(_ state: WatchState, _ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode) -> [StyledText] {
        let size = TerminalSize(columns: columns, rows: rows)
        return WatchView(state, now: SampleFleet.time(30), size: size, glyphs: glyphs).lines
    }

    private func expect(_ state: WatchState, _ columns: Int, _ rows: Int, is name: String) throws {
        let lines = lines(state, columns, rows)
        #expect(lines.count == rows)
        try Snapshot.expect(lines, is: name, width: columns)
    }

    @Test(arguments: [(80, 16), (200, 12)])
    func showsAFleet(_ columns: Int, _ rows: Int) throws {
        try expect(Self.running, columns, rows, is: "watch-\(columns).txt")
        try expect(Self.withTotals, columns, rows, is: "watch-totals-\(columns).txt")
    }

    @Test(arguments: [80, 200])
    func showsAnOutage(_ columns: Int) throws {
        try expect(Self.outage, columns, 16, is: "watch-outage-\(columns).txt")
    }

    @Test func showsTroubleFirstIfNotAllDevicesFit() throws {
        try expect(Self.withTotals, 80, 9, is: "watch-small.txt")
    }

    @Test func omitsContentThatDoesNotFit() {
        for columns in [1, 2, 10, 19, 20, 40, 79, 500] {
            for rows in [1, 2, 3, 4, 5, 6, 7, 100] {
                for state in [Self.beginning, Self.running, Self.outage] {
                    let lines = lines(state, columns, rows)
                    #expect(lines.count == rows, "\(columns)x\(rows)")
                    #expect(lines.allSatisfy { $0.width <= columns }, "\(columns)x\(rows)")
                }
            }
        }
    }

    @Test(arguments: [40, 45, 49]) func aNarrowTerminalShowsPowerInFull(_ columns: Int) throws {
        let lines = lines(Self.running, columns, 30).map(\.text)
        let heading = try #require(lines.first { $0.hasPrefix("NAME") })
        #expect(heading.contains("POWER W") && heading.contains("BATT"))
        let reading = try #require(Self.running.readings.first { $0.load.watts != nil })
        let watts = "\(Int((reading.load.watts ?? 0).rounded()))"
        #expect(lines.contains { $0.split(separator: " ").contains(Substring(watts)) })
    }

    @Test func showsThatTheFirstReadingIsPending() {
        #expect(Self.beginning.count == 0)
        #expect(lines(Self.beginning, 80, 4)[1].text == "Reading the devices for 1m")
        var failed = Self.beginning
        failed.failure = Self.outage.failure
        let shown = lines(failed, 80, 24).map(\.text)
        #expect(shown[1] == "No devices have been read yet.")
        #expect(shown[2] == "No reply for 27s: 5 readings failed (connect).")
    }

    @Test func showsThatThereAreNoDevices() {
        var state = Self.running
        state.readings = []
        state.session = [:]
        #expect(lines(state, 80, 24).map(\.text).contains("WinPower lists no devices for this account."))
    }

    @Test func showsWhyThereAreNoTotals() {
        var state = Self.running
        state.stored = .unreadable("the file is damaged")
        #expect(lines(state, 80, 24).last?.text == "q ends. No totals: the file is damaged")
    }

    @Test func showsHowToQuit() {
        let size = TerminalSize(columns: 80, rows: 24)
        let view = WatchView(Self.running, now: SampleFleet.time(30), size: size, glyphs: .ascii, endsByKey: false)
        #expect(view.lines.last?.text.hasPrefix("Ctrl-C ends.") == true)
    }

    @Test func usesTheGlyphsOfTheTerminal() {
        let text = lines(Self.running, 80, 24, glyphs: .ascii).map(\.text).joined()
        #expect(text.contains("##") && !text.contains("█") && !text.contains("…"))
    }

    @Test func dimsOldValues() {
        let now = lines(Self.running, 80, 24).map { $0.rendered(withStyles: true) }
        let old = lines(Self.outage, 80, 24).map { $0.rendered(withStyles: true) }
        #expect(now.contains { $0.contains("\u{1b}[32mline\u{1b}[0m") })
        #expect(!old.contains { $0.contains("\u{1b}[32m") })
        #expect(old[2].hasPrefix("\u{1b}[1;31mNo reply for 27s"))
    }

    @Test func coloursTheNamesOfDevicesThatNeedAttention() {
        let rows = lines(Self.running, 200, 24).map { $0.rendered(withStyles: true) }
        for start in ["UPS 机房一 ", "\u{1b}[33m服务器机柜二", "\u{1b}[1;31mDup (ups-3)", "\u{1b}[1;31mDup (ups-4)"] {
            #expect(rows.contains { $0.hasPrefix(start) }, "\(start)")
        }
    }

    @Test(arguments: [
        // Percent, and the colours of this load and of this charge.
        (24, 32, 31), (25, 32, 33), (59, 32, 33), (60, 32, 32), (74, 32, 32), (75, 33, 32), (89, 33, 32), (90, 31, 32),
    ])
    func coloursHighLoadsAndLowCharges(_ percent: Int, _ load: Int, _ charge: Int) {
        var state = Self.running
        state.readings = [SampleFleet.readings[0]]
        state.readings[0].load.percent = Double(percent)
        state.readings[0].battery.chargePercent = Double(percent)
        let text = lines(state, 200, 24).map { $0.rendered(withStyles: true) }.joined()
        let bars = text.matches(of: /(\d+)% \x1B\[(\d+)m/).map { "\($0.1) \($0.2)" }
        #expect(bars == ["\(percent) \(load)", "\(percent) \(charge)"])
    }
}

@Suite struct WatchLinesTests {
    @Test func writesOneLinePerDevice() throws {
        let lines = WatchLines(WatchViewTests.withTotals, at: SampleFleet.time(30)).lines
        try Snapshot.expect(lines.map { $0 + "\n" }.joined(), is: "watch-lines.txt")
    }

    @Test func writesOneLinePerOutage() throws {
        let lines = WatchLines(WatchViewTests.outage, at: SampleFleet.time(30)).lines
        try Snapshot.expect(lines.map { $0 + "\n" }.joined(), is: "watch-lines-outage.txt")
    }

    @Test func quotesValues() {
        var state = WatchViewTests.beginning
        var reading = SampleFleet.readings[0]
        reading.device.alias = #"a "b" = \c"# + "\n"
        state.readings = [reading]
        let line = WatchLines(state, at: SampleFleet.time(0)).lines[0]
        #expect(line.contains(#" name="a \"b\" = \\c\\u{a}" mode=line "#))
    }
}
