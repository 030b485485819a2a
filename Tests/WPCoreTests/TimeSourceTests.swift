// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPTestKit

@Suite("Time source")
struct TimeSourceTests {
    @Test
    func systemSourcesShareAnOrigin() {
        let first = SystemTimeSource()
        let before = first.now.monotonic
        let between = SystemTimeSource().now.monotonic
        #expect(before <= between)
        #expect(between <= first.now.monotonic)
    }

    @Test func aSleepUntilAnElapsedTimeEndsImmediately() async throws {
        let time = SystemTimeSource()
        try await time.sleep(until: time.now.monotonic - .seconds(1))
        try await time.sleep(for: .seconds(-1))
        try await TestClock().timeSource.sleep(for: .zero)
    }

    @Test func aSleepLastsUntilItsTime() async throws {
        let time = SystemTimeSource()
        let due = time.now.monotonic + .milliseconds(5)
        try await time.sleep(until: due, tolerance: nil)
        #expect(time.now.monotonic >= due)
    }

    @Test func aCancelledSleepThrowsCancellationError() async throws {
        let clock = TestClock()
        for time in [SystemTimeSource(), clock.timeSource] as [any TimeSource] {
            let sleep = Task { try await time.sleep(for: .seconds(86_400)) }
            sleep.cancel()
            await #expect(throws: CancellationError.self) { try await sleep.value }
        }
    }

    @Test func aTestClockDrivesSleeps() async throws {
        let clock = TestClock()
        let time = clock.timeSource
        let sleep = Task {
            try await time.sleep(for: .seconds(10))
            return time.now.monotonic
        }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await sleep.value == .seconds(10))
    }
}
