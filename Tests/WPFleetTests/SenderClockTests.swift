// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHistory
import WPTestKit

@testable import WPFleet

/// The limits in the judgement of senders' clocks.
@Suite struct SenderClockTests {
    @Test(arguments: [(2.0, 0.0), (2.5, 2.5), (-2, 0), (-2.5, -2.5)])
    func `tolerates a lead of two seconds`(_ lead: Double, _ skew: Double) {
        var numbered = SenderClock(heard: .zero)
        numbered.measure(lead, at: .seconds(3))
        #expect(numbered.skew == skew && numbered.heard == .seconds(3))
        var unnumbered = SenderClock(heard: .zero)
        for second in 1...10 { unnumbered.judge(lead, at: .seconds(second)) }
        #expect(unnumbered.skew == skew && unnumbered.heard == .seconds(10))
    }

    /// A clock is behind after ten reports within at least five seconds, whose lags differ by at most two seconds.
    @Test(arguments: [
        (9, 1.0, 0.0, false), (10, 1, 0, true), (10, 0.5, 0, false), (10, 0.5625, 0, true), (10, 1, 2, true),
        (10, 1, 2.5, false),
    ])
    func `judges a constant lag`(_ reports: Int, _ interval: Double, _ spread: Double, _ isBehind: Bool) {
        var clock = SenderClock(heard: .zero)
        for number in 0..<reports {
            clock.judge(number == 3 ? -20 + spread : -20, at: .seconds(Double(number) * interval))
        }
        #expect(clock.skew == (isBehind ? -20 + spread : 0))
    }

    private func clocks(_ skews: [Double?], at time: Duration = .zero) -> SenderClocks {
        var clocks = SenderClocks()
        for (index, skew) in skews.enumerated() {
            var clock = SenderClock(heard: .zero)
            clock.measure(skew ?? 0, at: time)
            clocks.record(clock, of: "\(index)", isAccepted: skew != nil)
        }
        return clocks
    }

    @Test(
        arguments: [
            ([], nil), ([100], nil), ([100, 100], 100), ([100, 100, 60], nil), ([61, 70, 80], 70), ([-61, -70], -61),
            ([100, -100], nil), ([100, 100, nil], 100), ([100, nil], nil), ([100, 100, 0], nil),
        ] as [([Double?], Double?)]
    )
    func `two senders more than a minute off in the same direction agree`(_ skews: [Double?], _ common: Double?) {
        #expect(clocks(skews).commonSkew(at: .seconds(1)) == common)
    }

    @Test func `compares senders of the last ten minutes`() {
        let clocks = clocks([100, 100])
        #expect(clocks.commonSkew(at: .seconds(599.5)) == 100)
        #expect(clocks.commonSkew(at: .seconds(600)) == nil)
    }

    @Test func `compares every ten seconds and forgets a sender after a day`() {
        var clocks = clocks([100, 100])
        let due = [1, 10.5, 11, 20.5, 86_399].map { clocks.isComparisonDue(at: .seconds($0)) }
        #expect(due == [true, false, true, false, true])
        #expect(clocks.skews.count == 2)
        _ = clocks.isComparisonDue(at: .seconds(86_409))
        #expect(clocks.skews.isEmpty)
    }

    @Test func `remembers a thousand unknown senders`() throws {
        var clocks = clocks(Array(repeating: nil, count: 1000) + [nil])
        #expect(clocks["999"] != nil && clocks["1000"] == nil)
        #expect(clocks.skews.isEmpty)
        clocks.record(SenderClock(heard: .zero), of: "1000", isAccepted: true)
        // An accepted sender remains known.
        clocks.record(try #require(clocks["1000"]), of: "1000", isAccepted: false)
        clocks.record(SenderClock(heard: .seconds(9)), of: "0", isAccepted: false)
        #expect(clocks.skews.keys.map(\.text) == ["1000"])
        #expect(clocks["0"]?.heard == .seconds(9))
    }

    @Test(arguments: [
        ("00000000000000ab", "0", "0", true), ("ffffffffffffffff", "9007199254740992", "100000000", true),
        ("00000000000000ab", "9007199254740993", "0", false), ("00000000000000ab", "1", "100000001", false),
        ("0000000000000ab", "1", "0", false), ("000000000000000ab", "1", "0", false),
    ])
    func `accepts stamps up to their limits`(_ boot: String, _ sequence: String, _ age: String, _ isValid: Bool) {
        let stamp = ReportStamp(boot: boot, sequence: sequence, age: age)
        #expect((stamp != nil) == isValid)
        if let stamp { #expect("\(stamp.sequence)" == sequence && stamp.age == Double(age)) }
    }

    /// A reading precedes its report by seconds; more than a day means that the clock was stepped.
    @Test(arguments: [(5.0, 7.0), (0, 2), (-5, 2), (86_399, 86_401), (86_400, 2)])
    func `adds the wait before the report to its age`(_ wait: Double, _ age: Double) throws {
        let stamp = try #require(ReportStamp(boot: "00000000000000ab", sequence: "1", age: "2"))
        let received = TestClock().timeSource.now
        let now = received.secondsSince1970
        let moment = ReportTiming(created: now, stamp: stamp, received: received, clock: nil).moment(of: now - wait)
        #expect(moment.time == now - age && moment.read == received.monotonic - .seconds(age))
    }
}
