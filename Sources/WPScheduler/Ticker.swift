// SPDX-License-Identifier: MIT

public import WPCore
public import WPLogging

/// Runs work immediately and then at every tick of a fixed grid: start + n × interval.
///
/// - Runs never overlap. A tick that is due during a run is skipped and counted.
/// - Ticks do not drift, however long the work takes.
/// - Ticks missed while the machine sleeps or the process is stopped are not made up for: one run follows immediately,
///   the next one on the grid.
/// - Cancelling the task of ``run(after:_:)`` cancels the work in flight and ends the ticker.
/// - ``change(interval:)`` starts a new grid at the last tick that ran.
public struct Ticker: Scheduling {
    /// The tick of a run.
    public struct Tick: Hashable, Sendable {
        /// When it was due, on the monotonic clock of the time source.
        public var due: Duration
        /// The time to the next tick.
        public var interval: Duration
        /// The number of ticks skipped because the previous run lasted too long.
        public var skipped: Int
    }

    private let timer: TickTimer
    private let timeSource: any TimeSource
    private let logger: Logger
    private let onSkip: (@Sendable (Int) -> Void)?
    private let onIdle: @Sendable () -> Void

    /// Creates a ticker.
    /// - Parameters:
    ///   - interval: the time between ticks, clamped to one millisecond to 366 days.
    ///   - timeSource: the clock of the ticks.
    ///   - logger: logs when runs begin to take longer than the interval, and when they no longer do.
    ///   - onSkip: receives the number of newly skipped ticks, even while a run hangs. Called on any thread; must
    ///     return immediately. If nil, skipped ticks are counted when the run has ended.
    public init(
        interval: Duration,
        timeSource: any TimeSource = .system,
        logger: Logger = .silent,
        onSkip: (@Sendable (_ ticks: Int) -> Void)? = nil
    ) {
        self.init(interval: interval, timeSource: timeSource, logger: logger, onSkip: onSkip, onIdle: {})
    }

    /// - Parameter onIdle: called when a run and its bookkeeping have ended; for tests.
    init(
        interval: Duration,
        timeSource: any TimeSource,
        logger: Logger,
        onSkip: (@Sendable (_ ticks: Int) -> Void)?,
        onIdle: @escaping @Sendable () -> Void
    ) {
        timer = TickTimer(TickGrid(interval: interval))
        self.timeSource = timeSource
        self.logger = logger
        self.onSkip = onSkip
        self.onIdle = onIdle
    }

    /// Changes the time between ticks; thread-safe. Does not affect a run in progress: the next tick follows one new
    /// interval after the last tick that ran, or immediately if that has passed.
    /// - Parameter interval: clamped to one millisecond to 366 days.
    public func change(interval: Duration) {
        timer.change(to: TickGrid(interval: interval))
    }

    /// Runs the work until the surrounding task is cancelled, and returns when the run in flight has ended.
    public func run(_ work: @escaping @Sendable () async -> Void) async {
        await run { (_: Tick) in await work() }
    }

    /// Runs the work until the surrounding task is cancelled, and returns when the run in flight has ended.
    /// - Parameters:
    ///   - delay: the time to the first tick.
    ///   - work: called at each tick.
    public func run(after delay: Duration = .zero, _ work: @escaping @Sendable (Tick) async -> Void) async {
        if delay > .zero, await !timeSource.hasSlept(for: delay) { return }
        var version = timer.current
        var start = now
        var (tick, skipped) = (0, 0)
        var overrun: Overrun?
        while !Task.isCancelled {
            let grid = version.grid
            let began = now
            let lastRun = start + grid.time(of: tick)
            let run = Tick(due: lastRun, interval: grid.interval, skipped: skipped)
            skipped = await runOnce(run, grid, isSeries: overrun != nil) { await work(run) }
            if Task.isCancelled { return }
            overrun = updateOverrun(overrun, grid, skipped: skipped, took: now - began)
            tick += skipped + 1
            onIdle()
            var wake = TickTimer.Wake.changed
            while wake != .due {
                wake = await timer.sleep(on: timeSource, until: start + version.grid.time(of: tick), of: version)
                if wake == .cancelled { return }
                guard wake == .changed else { continue }
                version = timer.current
                start = lastRun
                tick = max(1, version.grid.last(at: now - start))
            }
            let due = version.grid.last(at: now - start)
            if due > tick {
                logger.info(
                    "Ticks were missed while the process was suspended; they are not made up for",
                    ["ticks": .int(due - tick), "interval_ms": .milliseconds(version.grid.interval)]
                )
                tick = due
            }
        }
    }

    private var now: Duration { timeSource.now.monotonic }

    /// Runs the work for a tick, and returns how many of the following ticks were skipped.
    private func runOnce(
        _ tick: Tick,
        _ grid: TickGrid,
        isSeries: Bool,
        _ work: @Sendable () async -> Void
    ) async -> Int {
        var noticed = 0
        if onSkip == nil {
            await work()
        } else {
            noticed = await withTaskGroup(of: Int.self) { group in
                group.addTask { await countSkips(tick, grid, isSeries: isSeries) }
                await work()
                group.cancelAll()
                return await group.reduce(0, +)
            }
        }
        let elapsed = now - tick.due
        let passed = grid.passed(noticed: noticed, whenRunEndedAt: elapsed)
        guard passed > 0, !Task.isCancelled else { return noticed }
        skip(passed, grid, isFirst: noticed == 0 && !isSeries, elapsed: elapsed)
        return noticed + passed
    }

    /// Counts ticks as they pass, until it is cancelled, so that a hanging run is visible.
    private func countSkips(_ tick: Tick, _ grid: TickGrid, isSeries: Bool) async -> Int {
        var skipped = 0
        while (try? await timeSource.sleep(until: tick.due + grid.time(of: skipped + 1))) != nil {
            let elapsed = now - tick.due
            let passed = grid.passed(noticed: skipped, whileRunningAt: elapsed)
            skip(passed, grid, isFirst: skipped == 0 && !isSeries, elapsed: elapsed)
            skipped += passed
        }
        return skipped
    }

    private func skip(_ ticks: Int, _ grid: TickGrid, isFirst: Bool, elapsed: Duration) {
        if isFirst {
            logger.warn(
                "A run takes longer than its interval; ticks are skipped until it ends",
                ["interval_ms": .milliseconds(grid.interval), "elapsed_ms": .milliseconds(elapsed)]
            )
        }
        onSkip?(ticks)
    }

    private struct Overrun {
        var runs: Int
        var skipped: Int
    }

    /// Updates the count of consecutive runs that took too long, and logs when they end.
    private func updateOverrun(_ overrun: Overrun?, _ grid: TickGrid, skipped: Int, took: Duration) -> Overrun? {
        if skipped > 0 {
            return Overrun(runs: (overrun?.runs ?? 0) + 1, skipped: (overrun?.skipped ?? 0) + skipped)
        }
        if let overrun {
            logger.info(
                "Runs are shorter than their interval again",
                [
                    "interval_ms": .milliseconds(grid.interval), "duration_ms": .milliseconds(took),
                    "slow_runs": .int(overrun.runs), "skipped_ticks": .int(overrun.skipped),
                ]
            )
        }
        return nil
    }
}

/// Runs work repeatedly until it is cancelled.
public protocol Scheduling: Sendable {
    /// Runs the work repeatedly, without overlap, and returns only when the surrounding task has been cancelled and the
    /// run in flight has ended.
    func run(_ work: @escaping @Sendable () async -> Void) async
}
