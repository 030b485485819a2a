// SPDX-License-Identifier: MIT

import Testing

@testable import WPSockets

struct MonotonicClockTests {
    private let instant = MonotonicInstant(nanoseconds: 5_000_000_000)

    @Test func addsDurationsAndSaturates() {
        #expect(instant.advanced(by: .milliseconds(1500)).nanoseconds == 6_500_000_000)
        #expect(instant.advanced(by: .seconds(2)).nanoseconds == 7_000_000_000)
        #expect(instant.advanced(by: .milliseconds(500)).nanoseconds == 5_500_000_000)
        #expect(instant.advanced(by: .zero) == instant)
        #expect(instant.advanced(by: .seconds(-3)) == instant)
        #expect(instant.advanced(by: .seconds(Int64.max)) == .never)
        #expect(instant.advanced(byNanoseconds: .max) == .never)
        #expect(MonotonicInstant.never.advanced(by: .seconds(1)) == .never)
    }

    @Test func measuresTheTimeSinceAnEarlierInstant() {
        #expect(instant.advanced(by: .seconds(3)).since(instant) == .seconds(3))
        #expect(instant.since(instant) == .zero)
        #expect(instant.since(instant.advanced(by: .seconds(3))) == .zero)
        #expect(instant < instant.advanced(byNanoseconds: 1))
        #expect(!(instant < instant))
    }

    @Test func systemClockNeverGoesBack() throws {
        let clock = SystemMonotonicClock()
        let before = clock.now
        let reference = ContinuousClock.now
        let sleep = try #require(clock.sleep(until: before.advanced(by: .seconds(3600))))
        #expect(sleep > 3_500_000_000_000 && sleep <= 3_600_000_000_000)
        #expect(clock.sleep(until: before) == 0)
        #expect(clock.now >= before)
        // It measures the same time as the standard library's clock.
        while ContinuousClock.now - reference < .milliseconds(20) {}
        #expect(clock.now.since(before) >= .milliseconds(20))
    }

    @Test func deadlinesCountTheRemainingTime() {
        let deadline = Deadline(after: .seconds(100))
        #expect(!deadline.hasPassed)
        #expect(deadline.milliseconds > 90_000 && deadline.milliseconds <= 100_000)
        #expect(deadline.share(of: 4).milliseconds > 22_000 && deadline.share(of: 4).milliseconds <= 25_000)
        #expect(deadline.share(of: 0).milliseconds > 90_000)
        for passed in [Deadline(after: .zero), Deadline(after: .seconds(-5))] {
            #expect(passed.hasPassed)
            #expect(passed.remaining == .zero)
            #expect(passed.milliseconds == 0)
        }
        #expect(Deadline(after: .seconds(40 * 86_400)).milliseconds == .max)
        #expect(Deadline(after: .seconds(24 * 86_400)).milliseconds < .max)
    }
}
