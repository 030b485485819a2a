// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPLogging
import WPModel

extension History {
    /// The clock state of a history.
    struct Clocks {
        var check: ClockCheck
        let started: TimePoint
        /// The newest stored sample at the start; nil if there is none or it is unknown.
        var newest: Double?
        /// The retention clock; nil until the first pruning.
        var retention: RetentionClock?
    }

    /// The fault of the wall clock; nil if it is plausible.
    package var clockProblem: ClockCheck.Problem? { checkClock { $0.observe($1) } }

    /// Compares the wall clock with those of senders.
    package func compareClock(withSenders lead: Double?) {
        checkClock { $0.compare(senders: lead, at: $1) }
    }

    /// Checks the clock, and logs when its fault changes.
    @discardableResult
    func checkClock(_ update: (inout ClockCheck, TimePoint) -> Void) -> ClockCheck.Problem? {
        let now = timeSource.now
        let (before, after) = clock.withLock { clocks in
            let before = clocks.check.problem
            update(&clocks.check, now)
            return (before, clocks.check.problem)
        }
        guard before?.reason != after?.reason else { return after }
        if let after {
            logger.warn(
                "The clock of this machine is implausible; points are recorded with its time, and none are removed",
                ["reason": .string(after.reason.rawValue), "ahead_seconds": .double(after.seconds.rounded())]
            )
        } else {
            logger.info("The clock of this machine is plausible again")
        }
        return after
    }

    /// Removes data older than the retention period, in small batches, unless the clock is implausible.
    package func prune() async {
        guard clockProblem == nil else { return }
        do {
            let stored = try await store.retentionTime()
            let now = timeSource.now
            let time = clock.withLock { clocks in
                var retention =
                    clocks.retention ?? RetentionClock(stored: stored, newest: clocks.newest, at: clocks.started)
                if isShared, let stored { retention.learn(stored) }
                defer { clocks.retention = retention }
                return retention.advance(to: now, isConfirmed: clocks.check.isConfirmed(at: now))
            }
            let agreed = min(try await store.agree(onRetentionTime: time), now.secondsSince1970)
            let before = Int64(agreed - configuration.kept)
            var removed = 0
            for _ in 0..<Self.pruneBatches {
                let count = try await store.prune(before: before, limit: Self.pruneBatch)
                removed += count
                guard count == Self.pruneBatch else { break }
                await Task.yield()
            }
            let kept = Duration.seconds(configuration.kept)
            let gone = intake.withLock { $0.forget(before: Double(before), recorded: now.monotonic - kept) }
            if !gone.isEmpty { forgetListener.withLock { $0 }?(gone) }
            if removed > 0 {
                logger.info("Old points were removed", ["points": .int(removed), "before": .int(Int(before))])
            }
        } catch {
            logger.warn("Old history could not be removed", ["error": .describing(error)])
        }
    }
}
