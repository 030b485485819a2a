// SPDX-License-Identifier: MIT

import WPCore
import WPScheduler

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs one query on its schedule; its runs never overlap.
struct QuerySchedule: Sendable {
    let task: QueryTask
    let timeSource: any TimeSource
    /// Returns numbers in 0..<1, for jitter.
    let random: @Sendable () -> Double

    private var schedule: QueryFile.Schedule { task.definition.query.schedule }
    private var wall: Double { timeSource.now.wall.timeIntervalSince1970 }
    private var monotonic: Duration { timeSource.now.monotonic }

    /// Runs until the task is cancelled.
    /// - Parameter scrapes: signals each scrape.
    func run(_ scrapes: AsyncStream<Void>) async {
        switch schedule {
        case .onScrape:
            _ = await task.run()
            for await _ in scrapes where !task.isPaused { _ = await task.run() }
        case .every(let interval, false): await runEvery(interval)
        case .every(let interval, true):
            let seconds = Int(interval.components.seconds)
            await run { Self.aligned(after: $0, every: seconds) }
        case .cron(let expression):
            let zone = task.definition.zone
            await run { expression.next(after: $0, in: zone) }
        }
    }

    /// The next multiple of an interval since midnight UTC, or since 1970 for intervals of a day or more.
    static func aligned(after moment: Double, every seconds: Int) -> Int {
        let whole = Int(moment.rounded(.down))
        let day = seconds < 86_400 ? whole - (whole % 86_400 + 86_400) % 86_400 : 0
        let next = day + ((whole - day) / seconds + 1) * seconds
        return seconds < 86_400 ? min(next, day + 86_400) : next
    }

    // MARK: Intervals

    private func runEvery(_ interval: Duration) async {
        await Ticker(interval: interval, timeSource: timeSource).run { tick in
            task.skipped(tick.skipped)
            guard !task.isPaused, await delay() else { return }
            let next = tick.due + interval
            await attempt { monotonic + $0 >= next }
        }
    }

    // MARK: Wall-clock times

    private func run(_ next: (Double) -> Int?) async {
        var planned = next(wall)
        while let moment = planned {
            guard let reached = await wait(untilWall: Double(moment)) else { return }
            guard reached else {
                // The clock was set back.
                planned = next(wall)
                continue
            }
            guard await delay() else { return }
            if !task.isPaused {
                await attempt { seconds in next(wall).map { Double($0) <= wall + seconds / .seconds(1) } ?? false }
            }
            planned = following(moment, next)
        }
    }

    /// The next time after a run; times that have passed are skipped.
    private func following(_ moment: Int, _ next: (Double) -> Int?) -> Int? {
        let now = wall
        guard now >= Double(moment) - 60 else { return next(now) }
        var planned = next(Double(moment))
        var skipped = 0
        while let passed = planned, Double(passed) <= now, skipped < 1000 {
            skipped += 1
            planned = next(Double(passed))
        }
        task.skipped(skipped)
        return skipped < 1000 ? planned : next(now)
    }

    /// Waits for a wall-clock time, even if the clock is stepped.
    /// - Returns: false if the clock was set back by more than a minute; nil if the task is cancelled.
    private func wait(untilWall moment: Double) async -> Bool? {
        var last = wall
        while true {
            let now = wall
            if now < last - 60 { return false }
            last = now
            let rest = moment - now
            guard rest > 0 else { return Task.isCancelled ? nil : true }
            // Rounded up to milliseconds, so as not to wake early.
            let pause = Duration.milliseconds(Int((min(rest, 30) * 1000).rounded(.up)))
            guard await timeSource.hasSlept(for: pause) else { return nil }
        }
    }

    // MARK: Runs

    /// The first and the longest delay after failing to reach the database.
    private static let pauses = (first: Duration.milliseconds(500), longest: Duration.seconds(15))

    /// Runs the query, and retries soon if the database is unreachable.
    /// - Parameter isDue: whether the next run is due within a duration.
    private func attempt(until isDue: (Duration) -> Bool) async {
        var pause = Self.pauses.first
        while await task.run().isUnreachable, !isDue(pause) {
            guard await timeSource.hasSlept(for: pause) else { return }
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    private func delay() async -> Bool {
        let jitter = task.definition.query.jitter
        guard jitter > .zero else { return true }
        return await timeSource.hasSlept(for: jitter * random())
    }
}
