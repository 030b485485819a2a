// SPDX-License-Identifier: MIT

import Testing

@testable import WPScheduler

@Suite struct TickGridTests {
    @Test(arguments: [
        (Duration.zero, 0, 0), (.nanoseconds(1), 0, 0), (.milliseconds(4999), 0, 0), (.seconds(5), 1, 0),
        (.seconds(5) + .nanoseconds(1), 1, 1), (.seconds(12), 2, 2), (.seconds(-7), 0, 0),
        (.seconds(5_000_000_000), 1_000_000_000, 999_999_999),
    ])
    func findsTicks(_ elapsed: Duration, at: Int, before: Int) {
        let grid = TickGrid(interval: .seconds(5))
        #expect(grid.last(at: elapsed) == at)
        #expect(grid.last(before: elapsed) == before)
    }

    @Test func isExactForIntervalsThatDoublesCannotRepresent() {
        let grid = TickGrid(interval: .milliseconds(100))
        for tick in stride(from: 1, to: 10_000_000, by: 9973) {
            let time = grid.time(of: tick)
            #expect(grid.last(at: time) == tick)
            #expect(grid.last(before: time) == tick - 1)
            #expect(grid.last(at: time - .nanoseconds(1)) == tick - 1)
        }
    }

    @Test(arguments: [
        (Duration.zero, Duration.milliseconds(1)), (.seconds(-1), .milliseconds(1)),
        (.microseconds(1500), .microseconds(1500)), (.seconds(Int64.max), .seconds(366 * 86_400)),
    ])
    func keepsTheIntervalInBounds(_ interval: Duration, _ expected: Duration) {
        #expect(TickGrid(interval: interval).interval == expected)
    }

    @Test(arguments: [
        // Noticed ticks, elapsed seconds, and the passed ticks if the run has ended or if it continues.
        (0, 4.0, 0, 1), (0, 5, 0, 1), (0, 5.5, 1, 1), (0, 12, 2, 2), (1, 12, 1, 1), (2, 12, 0, 1), (2, 15, 0, 1),
        (1, 21, 3, 3), (1, 20, 2, 3), (5, 21, 0, 1),
    ])
    func countsTheTicksThatPassDuringARun(noticed: Int, at seconds: Double, ended: Int, running: Int) {
        let grid = TickGrid(interval: .seconds(5))
        let elapsed = Duration.seconds(seconds)
        #expect(grid.passed(noticed: noticed, whenRunEndedAt: elapsed) == ended)
        #expect(grid.passed(noticed: noticed, whileRunningAt: elapsed) == running)
    }
}
