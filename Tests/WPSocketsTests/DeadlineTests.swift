// SPDX-License-Identifier: MIT

import Testing

@testable import WPSockets

struct DeadlineTests {
    @Test func countsTheRemainingTime() {
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
