// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@testable import WPClient

@Suite("One operation for everybody")
struct SingleFlightTests {
    private struct Failure: Error {}

    /// Waits, by turns and not by time, until this many wait for the flight.
    private func waitForWaiters(_ count: Int, in flight: SingleFlight<Int>) async {
        while flight.waiterCount < count { await Task.yield() }
    }

    @Test("who asks while it runs shares its result")
    func shared() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let runs = Counter()
        let tasks = (0..<5).map { _ in
            Task {
                try await flight.run {
                    try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
                    return runs.next()
                }
            }
        }
        await waitForWaiters(5, in: flight)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        for task in tasks { #expect(try await task.value == 1) }
        #expect(try await flight.run { runs.next() } == 2)
    }

    @Test("its error is everybody's, and the next who asks starts anew")
    func failure() async throws {
        let flight = SingleFlight<Int>()
        await #expect(throws: Failure.self) { try await flight.run { throw Failure() } }
        #expect(try await flight.run { 7 } == 7)
    }

    @Test("who is cancelled leaves at once; the others get the result")
    func oneLeaves() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let wait: @Sendable () async throws -> Int = {
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
            return 7
        }
        let leaver = Task { try await flight.run(wait) }
        let stayer = Task { try await flight.run(wait) }
        await waitForWaiters(2, in: flight)
        try await clock.waitForSleepers()
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        clock.advance(by: .seconds(1))
        #expect(try await stayer.value == 7)
    }

    @Test("when everybody has left it is cancelled, and who comes then gets a new one")
    func allLeave() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let ending = TestClock()
        let leaver = Task {
            try await flight.run {
                do {
                    try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
                } catch {
                    // Slow to notice: the one who comes meanwhile must wait for this.
                    await Task { try? await ending.sleep(until: ending.now.advanced(by: .seconds(1)), tolerance: nil) }
                        .value
                    throw error
                }
                return 1
            }
        }
        try await clock.waitForSleepers()
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        try await ending.waitForSleepers()
        let next = Task { try await flight.run { 2 } }
        await waitForWaiters(1, in: flight)
        ending.advance(by: .seconds(1))
        #expect(try await next.value == 2)
    }
}
