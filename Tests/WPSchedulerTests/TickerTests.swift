// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPLogging
import WPTestKit

@testable import WPScheduler

@Suite(.timeLimit(.minutes(1))) struct TickerTests {
    /// A ticker on a test clock, with a record of its runs.
    private final class Bench: Sendable {
        let clock = TestClock()
        let log = CapturingLogHandler()
        private let started = Mutex<[Duration]>([])
        private let skips = Mutex<[Int]>([])
        private let running = Mutex<(now: Int, most: Int)>((0, 0))
        private let idle = AsyncStream<Void>.makeStream()

        var starts: [Duration] { started.withLock { $0 } }
        var skipped: Int { skips.withLock { $0.reduce(0, +) } }
        var skipCalls: [Int] { skips.withLock { $0 } }
        var maximumConcurrency: Int { running.withLock { $0.most } }

        func start(
            every interval: Duration = .seconds(5),
            _ work: @escaping @Sendable (_ run: Int) async -> Void
        ) -> Task<Void, Never> {
            start(make(every: interval), work)
        }

        func make(every interval: Duration) -> Ticker {
            Ticker(
                interval: interval,
                timeSource: clock,
                logger: log.logger,
                onSkip: { count in self.skips.withLock { $0.append(count) } },
                onIdle: { self.idle.continuation.yield() }
            )
        }

        func start(
            _ ticker: Ticker,
            _ work: @escaping @Sendable (_ run: Int) async -> Void
        ) -> Task<Void, Never> {
            Task {
                await ticker.run {
                    let run = self.started.withLock { starts in
                        starts.append(self.clock.now.monotonic)
                        return starts.count
                    }
                    self.running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await work(run)
                    self.running.withLock { $0.now -= 1 }
                }
            }
        }

        /// Waits until a run has ended and the ticker sleeps.
        func waitUntilIdle() async throws {
            for await _ in idle.stream { break }
            try await clock.waitForSleepers(1)
        }

        /// Waits until the work and the tick counter sleep.
        func waitUntilBusy() async throws {
            try await clock.waitForSleepers(2)
        }

        func sleep(_ span: Duration) async {
            try? await clock.sleep(for: span)
        }
    }

    private let bench = Bench()

    @Test func runsImmediatelyAndThenAtEveryTick() async throws {
        let task = bench.start { _ in }
        for _ in 0..<4 {
            try await bench.waitUntilIdle()
            bench.clock.advance(by: .seconds(5))
        }
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(5), .seconds(10), .seconds(15), .seconds(20)])
        #expect(bench.skipped == 0)
        #expect(bench.log.messages().isEmpty)
        task.cancel()
        await task.value
    }

    @Test func neverDrifts() async throws {
        let task = bench.start { [bench] _ in await bench.sleep(.milliseconds(1300)) }
        // The system sometimes wakes the task late. This must not delay later runs.
        func begin(_ tick: Int) -> Duration { .seconds(5 * tick) + .milliseconds([0, 700, 200, 0, 1][tick % 5]) }
        for tick in 0..<200 {
            try await bench.waitUntilBusy()
            #expect(bench.starts.last == begin(tick))
            bench.clock.advance(by: .milliseconds(1300))
            try await bench.waitUntilIdle()
            bench.clock.advance(by: begin(tick + 1) - bench.clock.now.monotonic)
        }
        try await bench.waitUntilBusy()
        #expect(bench.starts.count == 201)
        #expect(bench.skipped == 0)
        #expect(bench.maximumConcurrency == 1)
        task.cancel()
        await task.value
    }

    @Test func skipsTicksDuringARunAndLogsThem() async throws {
        let task = bench.start { [bench] run in
            if run == 1 { await bench.sleep(.seconds(12)) }
        }
        try await bench.waitUntilBusy()
        bench.clock.advance(by: .seconds(5))
        try await bench.waitUntilBusy()
        #expect(bench.skipped == 1)
        #expect(bench.log.messages(.warn).count == 1)
        bench.clock.advance(by: .seconds(5))
        try await bench.waitUntilBusy()
        #expect(bench.skipped == 2)
        bench.clock.advance(by: .seconds(2))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero])

        bench.clock.advance(by: .seconds(3))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(15)])
        #expect(bench.skipCalls == [1, 1])
        #expect(bench.maximumConcurrency == 1)

        let records = bench.log.records
        #expect(records.map(\.level) == [.warn, .info])
        #expect(records.first?.fields["interval_ms"] == 5000.0)
        #expect(records.first?.fields["elapsed_ms"] == 5000.0)
        #expect(records.last?.fields["skipped_ticks"] == 2)
        #expect(records.last?.fields["slow_runs"] == 1)
        task.cancel()
        await task.value
    }

    @Test func logsASeriesOfSlowRunsOnce() async throws {
        let task = bench.start { [bench] run in
            if run <= 10 || run == 12 { await bench.sleep(.seconds(7)) }
        }
        for _ in 0..<10 {
            try await bench.waitUntilBusy()
            bench.clock.advance(by: .seconds(5))
            try await bench.waitUntilBusy()
            bench.clock.advance(by: .seconds(2))
            try await bench.waitUntilIdle()
            bench.clock.advance(by: .seconds(3))
        }
        try await bench.waitUntilIdle()
        #expect(bench.log.records.map(\.level) == [.warn, .info])
        #expect(bench.log.records.last?.fields["slow_runs"] == 10)
        #expect(bench.log.records.last?.fields["duration_ms"] == .milliseconds(.zero))
        #expect(bench.skipped == 10)
        bench.clock.advance(by: .seconds(5))
        try await bench.waitUntilBusy()
        bench.clock.advance(by: .seconds(5))
        try await bench.waitUntilBusy()
        #expect(bench.log.records.map(\.level) == [.warn, .info, .warn])
        task.cancel()
        await task.value
        #expect(bench.log.records.count == 3)
    }

    /// The end of a run and the wait for its next tick race here, and either may count the tick.
    @Test func logsASeriesOnceHoweverItsTicksAreCounted() async throws {
        let task = bench.start { [bench] run in
            if run <= 20 { bench.clock.advance(by: .seconds(7)) }
        }
        for run in 1...20 {
            try await bench.waitUntilIdle()
            #expect(bench.skipped == run)
            bench.clock.advance(by: .seconds(3))
        }
        try await bench.waitUntilIdle()
        #expect(bench.log.records.map(\.level) == [.warn, .info])
        task.cancel()
        await task.value
    }

    @Test func runsOrSkipsTheTickAtWhichARunEnds() async throws {
        let task = bench.start { [bench] run in
            if run == 1 { await bench.sleep(.seconds(5)) }
        }
        try await bench.waitUntilBusy()
        bench.clock.advance(by: .seconds(5))
        try await bench.waitUntilIdle()
        if bench.skipped == 0 {
            #expect(bench.starts == [.zero])
            try await bench.waitUntilIdle()
            #expect(bench.starts == [.zero, .seconds(5)])
        } else {
            #expect(bench.skipped == 1)
            #expect(bench.starts == [.zero])
        }
        #expect(bench.maximumConcurrency == 1)
        task.cancel()
        await task.value
    }

    @Test func doesNotCatchUpAfterAJumpWhileIdle() async throws {
        let task = bench.start { _ in }
        try await bench.waitUntilIdle()
        bench.clock.advance(by: .seconds(36))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(36)])
        #expect(bench.skipped == 0)
        #expect(bench.log.records.map(\.level) == [.info])
        #expect(bench.log.records.first?.fields["ticks"] == 6)
        bench.clock.advance(by: .seconds(3))
        #expect(bench.starts.count == 2)
        bench.clock.advance(by: .seconds(1))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(36), .seconds(40)])
        task.cancel()
        await task.value
    }

    @Test func doesNotCatchUpAfterAJumpDuringARun() async throws {
        let task = bench.start { [bench] run in
            if run == 1 { await bench.sleep(.seconds(1)) }
        }
        try await bench.waitUntilBusy()
        bench.clock.advance(by: .seconds(36))
        try await bench.waitUntilIdle()
        #expect(bench.skipped == 7)
        bench.clock.advance(by: .seconds(4))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(40)])
        task.cancel()
        await task.value
    }

    @Test func endsWhenCancelledInItsSleep() async throws {
        let task = bench.start { _ in }
        try await bench.waitUntilIdle()
        task.cancel()
        await task.value
        #expect(bench.starts == [.zero])
    }

    @Test func cancelsTheWorkInFlight() async throws {
        let outcome = Mutex<Bool?>(nil)
        let note: @Sendable (Bool) -> Void = { wasCancelled in outcome.withLock { $0 = wasCancelled } }
        let task = bench.start { [bench] _ in
            await bench.sleep(.seconds(1_000_000))
            note(Task.isCancelled)
        }
        try await bench.waitUntilBusy()
        task.cancel()
        await task.value
        #expect(outcome.withLock { $0 } == true)
        #expect(bench.skipped == 0)
        #expect(bench.starts == [.zero])
    }

    @Test func waitsForWorkThatIgnoresCancellation() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let ended = Mutex(false)
        let end: @Sendable () -> Void = { ended.withLock { $0 = true } }
        let task = bench.start { _ in
            await Task { for await _ in gate.stream { break } }.value
            end()
        }
        try await bench.clock.waitForSleepers(1)
        task.cancel()
        gate.continuation.yield()
        await task.value
        #expect(ended.withLock { $0 })
        #expect(bench.log.messages().isEmpty)
    }

    @Test func doesNotRunIfCancelledBeforeTheStart() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let ticker = Ticker(interval: .seconds(5), timeSource: bench.clock)
        let ran = Mutex(false)
        let note: @Sendable () -> Void = { ran.withLock { $0 = true } }
        let task = Task {
            for await _ in gate.stream { break }
            await ticker.run { note() }
        }
        task.cancel()
        gate.continuation.yield()
        await task.value
        #expect(!ran.withLock { $0 })
    }

    @Test(arguments: [
        // The next tick is one new interval after the last run, or immediate if that time has passed.
        (5, 60, 2, [0, 60, 120]), (60, 5, 2, [0, 5, 10]), (60, 5, 33, [0, 33, 35]), (60, 7, 7, [0, 7, 14]),
    ])
    func changesItsIntervalWhileItSleeps(from: Int, to: Int, at: Int, runs: [Int]) async throws {
        let ticker = bench.make(every: .seconds(from))
        let task = bench.start(ticker) { _ in }
        try await bench.waitUntilIdle()
        bench.clock.advance(by: .seconds(at))
        ticker.change(interval: .seconds(to))
        for run in runs.dropFirst() {
            if run > at {
                try await bench.clock.waitForSleepers(1)
                bench.clock.advance(by: .seconds(run) - bench.clock.now.monotonic)
            }
            try await bench.waitUntilIdle()
        }
        #expect(bench.starts == runs.map { .seconds($0) })
        #expect(bench.skipped == 0)
        // The ticks of the new interval that have passed were never missed.
        #expect(bench.log.records.isEmpty)
        task.cancel()
        await task.value
    }

    @Test func changesItsIntervalBetweenTwoRuns() async throws {
        let ticker = bench.make(every: .seconds(60))
        let task = bench.start(ticker) { [bench] run in
            if run == 1 { await bench.sleep(.seconds(3)) }
        }
        try await bench.waitUntilBusy()
        ticker.change(interval: .seconds(10))
        #expect(bench.starts == [.zero])
        bench.clock.advance(by: .seconds(3))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero])
        bench.clock.advance(by: .seconds(7))
        try await bench.waitUntilIdle()
        #expect(bench.starts == [.zero, .seconds(10)])
        #expect(bench.maximumConcurrency == 1)
        task.cancel()
        await task.value
    }

    @Test func ticksOnTheRealClock() async throws {
        let runs = AsyncStream<Void>.makeStream()
        let ticker: any Scheduling = Ticker(interval: .milliseconds(2))
        let task = Task {
            await ticker.run { runs.continuation.yield() }
        }
        var count = 0
        for await _ in runs.stream {
            count += 1
            if count == 5 { break }
        }
        task.cancel()
        await task.value
        #expect(count == 5)
    }

    @Test func passesItsTickToEachRun() async throws {
        let ticks = Mutex<[Ticker.Tick]>([])
        let ticker = Ticker(interval: .seconds(5), timeSource: bench.clock)
        let task = Task { [bench] in
            await ticker.run(after: .seconds(2)) { tick in
                ticks.withLock { $0.append(tick) }
                if tick.due == .seconds(7) { await bench.sleep(.seconds(12)) }
            }
        }
        // Without a callback for skipped ticks, only the work and the wait for a tick sleep.
        for span in [2, 5, 12, 3] {
            try await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(span))
        }
        try await bench.clock.waitForSleepers()
        #expect(ticks.withLock { $0.map(\.due) } == [.seconds(2), .seconds(7), .seconds(22)])
        #expect(ticks.withLock { $0.map(\.skipped) } == [0, 0, 2])
        #expect(ticks.withLock { $0.allSatisfy { $0.interval == .seconds(5) } })
        task.cancel()
        await task.value
    }

    @Test func runsNothingWhenCancelledBeforeItsFirstTick() async throws {
        let ticker = Ticker(interval: .seconds(5), timeSource: bench.clock)
        let task = Task { await ticker.run(after: .seconds(1)) { _ in Issue.record("a cancelled ticker ran") } }
        try await bench.clock.waitForSleepers()
        task.cancel()
        await task.value
    }
}
