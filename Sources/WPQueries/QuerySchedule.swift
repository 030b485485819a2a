// SPDX-License-Identifier: MIT

import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs one query when its schedule says so, never beside itself.
struct QuerySchedule: Sendable {
    let task: QueryTask
    let surroundings: QueryRunner.Surroundings

    private var schedule: QueryFile.Schedule { task.definition.query.schedule }
    private var wall: Double { surroundings.timeSource.now.wall.timeIntervalSince1970 }
    private var monotonic: Duration { surroundings.timeSource.now.monotonic }

    /// Runs until the task is cancelled.
    /// - Parameter scrapes: says when somebody scrapes.
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

    /// The next multiple of an interval since midnight UTC; of an interval of a day or more, since 1970.
    static func aligned(after moment: Double, every seconds: Int) -> Int {
        let whole = Int(moment.rounded(.down))
        let day = seconds < 86_400 ? whole - (whole % 86_400 + 86_400) % 86_400 : 0
        let next = day + ((whole - day) / seconds + 1) * seconds
        return seconds < 86_400 ? min(next, day + 86_400) : next
    }

    // MARK: Intervals

    private func runEvery(_ interval: Duration) async {
        let origin = monotonic
        var tick = 0
        while !Task.isCancelled {
            let next = origin + interval * (tick + 1)
            if !task.isPaused {
                guard await delay() else { return }
                await attempt { monotonic + $0 >= next }
            }
            let elapsed = monotonic - origin
            let following = max(tick + 1, Int((elapsed / interval).rounded(.up)))
            task.skipped(following - tick - 1)
            tick = following
            let pause = origin + interval * tick - monotonic
            guard (try? await surroundings.sleep(max(.zero, pause))) != nil else { return }
        }
    }

    // MARK: Moments of the wall clock

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

    /// The next moment after one that was run; those that passed meanwhile are skipped.
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

    /// Waits for a moment of the wall clock, which may be set meanwhile.
    /// - Returns: false when it was set back by more than a minute; nil when the task is cancelled.
    private func wait(untilWall moment: Double) async -> Bool? {
        var last = wall
        while true {
            let now = wall
            if now < last - 60 { return false }
            last = now
            let rest = moment - now
            guard rest > 0 else { return Task.isCancelled ? nil : true }
            // Milliseconds, rounded up, so as not to wake just before it.
            let pause = Duration.milliseconds(Int((min(rest, 30) * 1000).rounded(.up)))
            guard (try? await surroundings.sleep(pause)) != nil else { return nil }
        }
    }

    // MARK: Runs

    /// The first and the longest pause after a failure to reach the database.
    private static let pauses = (first: Duration.milliseconds(500), longest: Duration.seconds(15))

    /// Runs the query, and where the database cannot be reached, soon again.
    /// - Parameter isDue: whether the next run comes within a span.
    private func attempt(until isDue: (Duration) -> Bool) async {
        var pause = Self.pauses.first
        while await task.run().isUnreachable, !isDue(pause) {
            guard (try? await surroundings.sleep(pause)) != nil else { return }
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    private func delay() async -> Bool {
        let jitter = task.definition.query.jitter
        guard jitter > .zero else { return true }
        return (try? await surroundings.sleep(jitter * surroundings.random())) != nil
    }
}
