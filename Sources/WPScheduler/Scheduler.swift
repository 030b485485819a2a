// SPDX-License-Identifier: MIT

public import WPLogging

/// Runs work at once and then at every tick of a fixed grid: start + n × interval.
///
/// - Runs never overlap. A tick that comes during a run is skipped, and counted at that moment.
/// - Ticks don't drift, however long the work takes.
/// - Ticks that pass while the computer sleeps or the process is stopped are not made up: one run follows at once, the
///   next one on the grid.
/// - Cancelling the task of ``run(_:)`` cancels the work in flight.
/// - ``change(interval:)`` begins a new grid at the last tick that was run, between two runs.
public struct Scheduler<C: Clock>: Scheduling where C.Duration == Duration {
    private let timer: TickTimer
    private let clock: C
    private let logger: Logger
    private let onSkip: @Sendable (Int) -> Void
    private let onIdle: @Sendable () -> Void

    /// Creates a scheduler.
    /// - Parameters:
    ///   - interval: the time between ticks, from one millisecond to 366 days; others count as the nearest of these.
    ///   - clock: the clock of the ticks. It should not follow the wall clock.
    ///   - logger: gets a line when runs begin to take longer than the interval, and one when that ends.
    ///   - onSkip: gets the number of ticks that were just skipped. It is called from any thread and should return at once.
    public init(
        interval: Duration,
        clock: C,
        logger: Logger,
        onSkip: @escaping @Sendable (_ ticks: Int) -> Void
    ) {
        self.init(interval: interval, clock: clock, logger: logger, onSkip: onSkip, onIdle: {})
    }

    /// - Parameter onIdle: called when a run has ended, with all that belongs to it; for tests.
    init(
        interval: Duration,
        clock: C,
        logger: Logger,
        onSkip: @escaping @Sendable (_ ticks: Int) -> Void,
        onIdle: @escaping @Sendable () -> Void
    ) {
        timer = TickTimer(TickGrid(interval: interval))
        self.clock = clock
        self.logger = logger
        self.onSkip = onSkip
        self.onIdle = onIdle
    }

    /// Changes the time between ticks, from any thread. A run in flight is not disturbed; the next tick comes the new
    /// interval after the last one that was run, or at once if that has passed.
    /// - Parameter interval: from one millisecond to 366 days; others count as the nearest of these.
    public func change(interval: Duration) {
        timer.change(to: TickGrid(interval: interval))
    }

    /// Runs the work until the surrounding task is cancelled, and returns when the run in flight has ended.
    public func run(_ work: @escaping @Sendable () async -> Void) async {
        var version = timer.current
        var start = clock.now
        var tick = 0
        var overrun: Overrun?
        while !Task.isCancelled {
            let grid = version.grid
            let began = clock.now
            let skipped = await runOnce(work, grid, tick: tick, start: start, isSeries: overrun != nil)
            if Task.isCancelled { return }
            overrun = follow(overrun, grid, skipped: skipped, took: began.duration(to: clock.now))
            let lastRun = start.advanced(by: grid.time(of: tick))
            tick += skipped + 1
            onIdle()
            var wake = TickTimer.Wake.changed
            while wake != .due {
                let due = start.advanced(by: version.grid.time(of: tick))
                wake = await timer.sleep(on: clock, until: due, of: version)
                if wake == .cancelled { return }
                guard wake == .changed else { continue }
                version = timer.current
                start = lastRun
                tick = max(1, version.grid.last(at: start.duration(to: clock.now)))
            }
            let due = version.grid.last(at: start.duration(to: clock.now))
            if due > tick {
                logger.info(
                    "Ticks were missed while the process was suspended; they are not made up for",
                    ["ticks": .int(due - tick), "interval_ms": .milliseconds(version.grid.interval)]
                )
                tick = due
            }
        }
    }

    /// Runs the work for a tick, and says how many of the ticks after it were skipped meanwhile.
    private func runOnce(
        _ work: @Sendable () async -> Void,
        _ grid: TickGrid,
        tick: Int,
        start: C.Instant,
        isSeries: Bool
    ) async -> Int {
        let noticed = await withTaskGroup(of: Int.self) { group in
            group.addTask { await noticeSkips(grid, after: tick, start: start, isSeries: isSeries) }
            await work()
            group.cancelAll()
            return await group.next() ?? 0
        }
        let elapsed = start.duration(to: clock.now)
        let passed = grid.passed(after: tick, noticed: noticed, whenRunEndedAt: elapsed)
        guard passed > 0, !Task.isCancelled else { return noticed }
        skip(passed, grid, isFirst: noticed == 0 && !isSeries, elapsed: elapsed - grid.time(of: tick))
        return noticed + passed
    }

    /// Counts ticks as they come, until it is cancelled, so that a run that hangs shows while it hangs.
    private func noticeSkips(
        _ grid: TickGrid,
        after tick: Int,
        start: C.Instant,
        isSeries: Bool
    ) async -> Int {
        var skipped = 0
        while true {
            do {
                try await clock.sleep(until: start.advanced(by: grid.time(of: tick + skipped + 1)), tolerance: nil)
            } catch {
                return skipped
            }
            let elapsed = start.duration(to: clock.now)
            let passed = grid.passed(after: tick, noticed: skipped, whileRunningAt: elapsed)
            skip(passed, grid, isFirst: skipped == 0 && !isSeries, elapsed: elapsed - grid.time(of: tick))
            skipped += passed
        }
    }

    private func skip(_ ticks: Int, _ grid: TickGrid, isFirst: Bool, elapsed: Duration) {
        if isFirst {
            logger.warn(
                "A run takes longer than its interval; ticks are skipped until it ends",
                ["interval_ms": .milliseconds(grid.interval), "elapsed_ms": .milliseconds(elapsed)]
            )
        }
        onSkip(ticks)
    }

    private struct Overrun {
        var runs: Int
        var skipped: Int
    }

    /// Counts consecutive runs that took too long.
    private func follow(_ overrun: Overrun?, _ grid: TickGrid, skipped: Int, took: Duration) -> Overrun? {
        if skipped > 0 {
            return Overrun(runs: (overrun?.runs ?? 0) + 1, skipped: (overrun?.skipped ?? 0) + skipped)
        }
        if let overrun {
            logger.info(
                "Runs fit into their interval again",
                [
                    "interval_ms": .milliseconds(grid.interval), "duration_ms": .milliseconds(took),
                    "slow_runs": .int(overrun.runs), "skipped_ticks": .int(overrun.skipped),
                ]
            )
        }
        return nil
    }
}

extension Scheduler where C == ContinuousClock {
    /// Creates a scheduler on the clock that runs on while the computer sleeps.
    /// - Parameters:
    ///   - interval: the time between ticks, from one millisecond to 366 days; others count as the nearest of these.
    ///   - logger: gets a line when runs begin to take longer than the interval, and one when that ends.
    ///   - onSkip: gets the number of ticks that were just skipped. It is called from any thread and should return at once.
    public init(interval: Duration, logger: Logger, onSkip: @escaping @Sendable (_ ticks: Int) -> Void) {
        self.init(interval: interval, clock: ContinuousClock(), logger: logger, onSkip: onSkip)
    }
}

/// Runs work again and again until it is cancelled.
public protocol Scheduling: Sendable {
    /// Runs the work, one run after the other, and returns only when the surrounding task has been cancelled and the
    /// run in flight has ended.
    func run(_ work: @escaping @Sendable () async -> Void) async
}
