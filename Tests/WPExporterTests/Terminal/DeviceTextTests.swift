// SPDX-License-Identifier: MIT

import Testing
import WPModel
import WPTerminal
import WPTestKit

@testable import WPExporter

/// The texts of one device, and the limits at which a screen changes.
@Suite struct DeviceTextTests {
    private static func reading(
        _ id: String = "1",
        alias: String = "",
        _ change: (inout DeviceReading) -> Void = { _ in }
    ) -> DeviceReading {
        var reading = DeviceReading.sample(id: id, alias: alias, time: SampleFleet.time(0))
        change(&reading)
        return reading
    }

    @Test(
        arguments: [
            (nil, "-"), (-1, "-"), (.nan, "-"), (.infinity, "-"), (0, "0s"), (59.9, "59s"), (60, "1m"), (3599, "59m"),
            (3600, "1h00m"), (3660, "1h01m"), (36_540, "10h09m"), (36_600, "10h10m"), (86_399, "23h59m"),
            (86_400, "1d00h"), (122_400, "1d10h"), (999_999_999, "11574d01h"), (1e9, "-"),
        ] as [(Double?, String)]
    )
    func formatsASpan(_ seconds: Double?, _ text: String) {
        #expect(DeviceText.span(seconds) == text)
    }

    @Test func namesDevicesUniquely() {
        let readings = [("1", "a"), ("2", "b"), ("3", "a"), ("4", " ")].map { Self.reading($0, alias: $1) }
        #expect(DeviceText.names(readings) == ["a (1)", "b", "a (3)", "4"])
    }

    @Test(
        arguments: [
            ([], nil, "none"), ([("1", "on fire")], nil, "on fire"), ([("1", "")], nil, "1"), ([], "17", "fault 17"),
            ([("1", "a"), ("2", "b")], "17", "3: fault 17; a; b"),
        ] as [([(String, String)], String?, String)]
    )
    func listsAlarmsAndFaults(_ alarms: [(String, String)], _ fault: String?, _ text: String) {
        let reading = Self.reading {
            $0.alarms = alarms.map { .init(id: $0.0, text: $0.1) }
            $0.faultCode = fault
        }
        #expect(DeviceText(reading).alarms == text)
    }

    @Test(arguments: [(100.0, DeviceCondition.good), (100.5, .attention)])
    func anOverloadNeedsAttention(_ percent: Double, _ condition: DeviceCondition) {
        #expect(DeviceCondition(Self.reading { $0.load.percent = percent }) == condition)
    }

    @Test func showsOneReply() {
        let line = ReadingProgress.line(server: "http://x", seconds: 1, replies: 1)
        #expect(line == "Reading the devices of http://x: 1 s, 1 reply")
    }

    // MARK: The screen of a watch

    private func view(_ state: WatchState, _ columns: Int, _ rows: Int = 24) -> [StyledText] {
        let size = TerminalSize(columns: columns, rows: rows)
        return WatchView(state, now: SampleFleet.time(30), size: size, glyphs: .unicode).lines
    }

    private func one(_ change: (inout DeviceReading) -> Void) -> WatchState {
        var state = WatchViewTests.running
        state.readings = [Self.reading("1", alias: "a", change)]
        return state
    }

    @Test(arguments: [
        (49, 0), (50, 4), (69, 4), (70, 7), (99, 7), (100, 10), (129, 10), (130, 14), (169, 14), (170, 20),
    ])
    func widensBarsWithTheTerminal(_ columns: Int, _ width: Int) throws {
        let line = try #require(view(one { _ in }, columns).first { $0.text.hasPrefix("a ") })
        #expect(line.text.count { "█▉▊▋▌▍▎▏░".contains($0) } == 2 * width)
    }

    @Test(arguments: [(74.0, "32"), (75, "33"), (89, "33"), (90, "31")])
    func coloursALoad(_ percent: Double, _ colour: String) throws {
        #expect(try #require(bar(load: percent, charge: nil)).contains("\u{1b}[\(colour)m█"))
    }

    @Test(arguments: [(24.0, "31"), (25, "33"), (59, "33"), (60, "32")])
    func coloursACharge(_ percent: Double, _ colour: String) throws {
        #expect(try #require(bar(load: nil, charge: percent)).contains("\u{1b}[\(colour)m█"))
    }

    /// The line of a device with these values, with styles.
    private func bar(load: Double?, charge: Double?) -> String? {
        let state = one {
            $0.load.percent = load
            $0.battery.chargePercent = charge
        }
        return view(state, 80).first { $0.text.hasPrefix("a ") }?.rendered(withStyles: true)
    }

    @Test(arguments: [(0, false, " line "), (1, false, " line !1 "), (1, true, " line !2 ")])
    func marksAlarmsAndFaults(_ alarms: Int, _ hasFault: Bool, _ mode: String) throws {
        let state = one {
            $0.alarms = Array(repeating: .init(id: "1", text: "x"), count: alarms)
            $0.faultCode = hasFault ? "17" : nil
        }
        #expect(try #require(view(state, 80).first { $0.text.hasPrefix("a ") }).text.contains(mode))
    }

    @Test(arguments: [(43, false), (44, true)])
    func showsTheAgeIfThereIsRoom(_ columns: Int, _ isShown: Bool) {
        #expect(view(WatchViewTests.running, columns)[0].text.hasSuffix("every 5s, read 30s ago") == isShown)
    }

    @Test func countsOneDeviceAndOneFailure() {
        var state = one { _ in }
        #expect(view(state, 80)[1].text.hasPrefix("1 device, 195 W"))
        state.interval = .milliseconds(1500)
        #expect(view(state, 80)[0].text.hasSuffix("every 1.5s, read 30s ago"))
        state.failure = FailureRun(reason: .connect, message: "refused", since: SampleFleet.time(3), count: 1)
        let lines = view(state, 80).map(\.text)
        #expect(lines[2] == "No reply for 27s: 1 reading failed (connect). Values are 30s old.")
        #expect(lines[3] == "  refused")
    }

    /// The columns that disappear as the terminal narrows, the first one first.
    private func dropped(_ heading: (Int) -> String) -> [String] {
        let known = [
            "MODE", "LOAD", "POWER W", "LEFT", "TOTAL kWh", "SESSION Wh", "TEMP C", "IN V", "OUT V", "RATED VA",
            "ALARMS", "MODEL", "ID", "NUT NAME",
        ].filter { heading(400).contains($0) }
        var dropped: [String] = []
        for width in stride(from: 399, through: 50, by: -1) {
            let heading = heading(width)
            dropped += known.filter { !dropped.contains($0) && !heading.contains($0) }
        }
        return dropped
    }

    @Test func keepsTheMostImportantColumns() {
        let orders = [
            (WatchViewTests.running, ["TEMP C", "IN V", "OUT V", "ALARMS", "LEFT", "SESSION Wh"]),
            (WatchViewTests.withTotals, ["TEMP C", "IN V", "OUT V", "SESSION Wh", "ALARMS", "LEFT", "TOTAL kWh"]),
        ]
        for (state, order) in orders {
            let found = dropped { width in view(state, width).map(\.text).first { $0.hasPrefix("NAME") } ?? "" }
            #expect(found == order)
        }
        let table = DeviceTable(SampleFleet.readings, nutNames: [DeviceID("ups-2"): "rack"])
        #expect(
            dropped { table.lines(width: $0).first?.text ?? "" } == [
                "NUT NAME", "ID", "MODEL", "RATED VA", "TEMP C", "IN V", "OUT V", "ALARMS", "LEFT",
            ]
        )
    }

    /// Three lines above the table, its heading, six devices, an empty line and the last line.
    @Test(arguments: [(12, nil), (11, "and 2 more; "), (7, "and 6 more; "), (8, "and 5 more; ")])
    func summarizesDevicesThatDoNotFit(_ rows: Int, _ rest: String?) {
        let found = view(WatchViewTests.running, 80, rows).map(\.text).filter { $0.hasPrefix("and ") }
        #expect(found.count == (rest == nil ? 0 : 1))
        if let rest { #expect(found.first?.hasPrefix(rest) == true, "\(found)") }
    }
}
