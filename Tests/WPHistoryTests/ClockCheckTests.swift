// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPHistory
import WPTestKit

@Suite struct ClockCheckTests {
    private static let day = 86_400.0

    private let clock = TestClock()
    private var now: TimePoint { clock.timeSource.now }

    private func check(newest: Double? = nil) -> ClockCheck {
        var check = ClockCheck(now)
        if let newest { check.learn(newest: now.secondsSince1970 + newest, at: now) }
        return check
    }

    @Test(
        arguments: [
            (-301.0, nil), (-6 * day, nil), (0, nil), (299, nil), (3600, .behindHistory), (8 * 3600, .behindHistory),
            (40 * day, .behindHistory), (1095 * day, .behindHistory), (-8 * day, .aheadOfHistory),
            (-40 * day, .aheadOfHistory),
        ] as [(Double, ClockCheck.Reason?)]
    )
    func `compares a start with the newest stored sample`(_ newest: Double, _ reason: ClockCheck.Reason?) {
        #expect(check(newest: newest).problem?.reason == reason)
    }

    @Test(arguments: [3600, -3600, 8 * 3600, 40 * day, -40 * day, 1095 * day] as [Double])
    func `detects a step and its reversal`(
        _ seconds: Double
    ) {
        var check = check()
        clock.advance(by: .seconds(60))
        check.observe(now)
        #expect(check.problem == nil)
        clock.stepWall(by: seconds)
        check.observe(now)
        #expect(check.problem?.reason == .stepped)
        #expect(check.problem.map { abs($0.seconds - seconds) < 1 } == true)
        let since = check.problem?.since
        clock.advance(by: .seconds(600))
        check.observe(now)
        #expect(check.problem?.since == since)
        clock.stepWall(by: -seconds)
        check.observe(now)
        #expect(check.problem == nil)
    }

    @Test func `a step is reported for an hour`() {
        var check = check()
        clock.stepWall(by: 7200)
        check.observe(now)
        clock.advance(by: .seconds(3599))
        check.observe(now)
        #expect(check.problem?.reason == .stepped)
        clock.advance(by: .seconds(1))
        check.observe(now)
        #expect(check.problem == nil)
    }

    @Test(arguments: [8 * day, -3600] as [Double]) func `treats a step that corrects a wrong start as a repair`(
        _ wrong: Double
    ) {
        var check = check(newest: -wrong)
        #expect(check.problem != nil)
        clock.advance(by: .seconds(300))
        clock.stepWall(by: -wrong)
        check.observe(now)
        #expect(check.problem == nil)
    }

    @Test func `trusts a clock that runs evenly for a day`() {
        var check = check(newest: -40 * Self.day)
        #expect(!check.isConfirmed(at: now))
        clock.advance(by: .seconds(Self.day))
        check.observe(now)
        #expect(check.isConfirmed(at: now))
        #expect(check.problem == nil)
        clock.stepWall(by: 3600)
        check.observe(now)
        #expect(!check.isConfirmed(at: now))
    }

    @Test func `rejects a time before the release of the program`() {
        clock.stepWall(by: 1000 - now.secondsSince1970)
        var check = check()
        #expect(check.problem?.reason == .impossible)
        clock.advance(by: .seconds(2 * Self.day))
        check.observe(now)
        #expect(check.problem?.reason == .impossible)
        #expect(!check.isConfirmed(at: now))
        clock.stepWall(by: 1.7e9)
        check.observe(now)
        #expect(check.problem?.reason == .stepped)
    }

    @Test func `senders that agree on another time override the clock`() {
        var check = check()
        check.compare(senders: 3600, at: now)
        #expect(check.problem?.reason == .sendersDisagree)
        #expect(check.problem?.seconds == -3600)
        clock.stepWall(by: 3600)
        check.observe(now)
        #expect(check.problem == nil)
        check.compare(senders: 90, at: now)
        #expect(check.problem?.reason == .sendersDisagree)
        check.compare(senders: nil, at: now)
        #expect(check.problem == nil)
    }

    @Test(arguments: [-59.0, 59]) func `ignores a small correction`(_ seconds: Double) {
        var check = check()
        clock.stepWall(by: seconds)
        check.observe(now)
        #expect(check.problem == nil)
    }
}

@Suite struct RetentionClockTests {
    private let clock = TestClock()
    private var now: TimePoint { clock.timeSource.now }

    @Test func `advances with the monotonic clock from the newest sample`() {
        let start = now.secondsSince1970
        clock.stepWall(by: 40 * 86_400)
        var retention = RetentionClock(stored: nil, newest: start, at: now)
        clock.advance(by: .seconds(3600))
        #expect(retention.advance(to: now, isConfirmed: false) == start + 3600)
        clock.stepWall(by: -50 * 86_400)
        #expect(retention.advance(to: now, isConfirmed: false) == now.secondsSince1970)
        clock.stepWall(by: 10 * 86_400)
        #expect(retention.advance(to: now, isConfirmed: false) == start + 3600)
    }

    @Test func `approaches a confirmed clock by one day per step and follows it back immediately`() {
        let start = now.secondsSince1970
        var retention = RetentionClock(stored: start - 3 * 86_400, newest: start, at: now)
        let times = (0..<4).map { _ in retention.advance(to: now, isConfirmed: true) - start }
        #expect(times == [-2 * 86_400, -86_400, 0, 0])
        clock.stepWall(by: -86_400)
        #expect(retention.advance(to: now, isConfirmed: true) == start - 86_400)
        #expect(retention.time == start - 86_400)
    }
}
