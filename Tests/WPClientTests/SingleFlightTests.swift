// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPTestKit

@testable import WPClient

@Suite("Single flight")
struct SingleFlightTests {
    private struct Failure: Error {}

    /// Waits until this many callers wait for the flight.
    private func waitForWaiters(_ count: Int, in flight: SingleFlight<Int>) async {
        #expect(await eventually { flight.waiterCount >= count })
    }

    @Test func concurrentCallersShareAResult() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let runs = Counter()
        let tasks = (0..<5).map { _ in
            Task {
                try await flight.run {
                    try await clock.sleep(for: .seconds(1))
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

    @Test func concurrentCallersShareAnErrorAndTheNextStartsAgain() async throws {
        let flight = SingleFlight<Int>()
        await #expect(throws: Failure.self) { try await flight.run { throw Failure() } }
        #expect(try await flight.run { 7 } == 7)
    }

    @Test func aCancelledCallerReturnsImmediately() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let wait: @Sendable () async throws -> Int = {
            try await clock.sleep(for: .seconds(1))
            return 7
        }
        let cancelled = Task { try await flight.run(wait) }
        let remaining = Task { try await flight.run(wait) }
        await waitForWaiters(2, in: flight)
        try await clock.waitForSleepers()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        clock.advance(by: .seconds(1))
        #expect(try await remaining.value == 7)
    }

    @Test func cancelsTheOperationWithItsLastCaller() async throws {
        let flight = SingleFlight<Int>()
        let clock = TestClock()
        let ending = TestClock()
        let cancelled = Task {
            try await flight.run {
                do {
                    try await clock.sleep(for: .seconds(1))
                } catch {
                    // Slow to react to cancellation: the next caller must wait for this.
                    await Task { try? await ending.sleep(for: .seconds(1)) }
                        .value
                    throw error
                }
                return 1
            }
        }
        try await clock.waitForSleepers()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await ending.waitForSleepers()
        let next = Task { try await flight.run { 2 } }
        await waitForWaiters(1, in: flight)
        ending.advance(by: .seconds(1))
        #expect(try await next.value == 2)
    }
}
