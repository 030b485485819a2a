// SPDX-License-Identifier: MIT

import WPLogging
import WPScheduler

/// Runs a job on a fixed grid and logs each run as JSON: `schedule-and-log [INTERVAL-MS [DURATION-MS]]`.
@main
struct ScheduleAndLog {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let interval = Duration.milliseconds(numbers.first ?? 1000)
        let duration = Duration.milliseconds(numbers.dropFirst().first ?? 5000)
        let system = try LoggingSystem(LoggingConfiguration(level: .info, format: .json, output: .standardOutput))
        let job = Job(logger: system.logger.named("job"))
        let ticker = Ticker(interval: interval, logger: system.logger) { skipped in
            system.logger.warn("Runs skipped", ["count": .int(skipped)])
        }
        // The ticker runs until its task is cancelled; it then cancels a run in progress and waits for it.
        let schedule = Task { await ticker.run { await job.run() } }
        try await Task.sleep(for: duration)
        schedule.cancel()
        await schedule.value
        system.flush()
    }
}

/// The scheduled job.
actor Job {
    private let logger: Logger
    private var runs = 0

    init(logger: Logger) {
        self.logger = logger
    }

    func run() async {
        runs += 1
        // All records logged in this closure, by any logger, have the field.
        await LogContext.with(["run": .int(runs)]) {
            let start = ContinuousClock.now
            try? await Task.sleep(for: .milliseconds(20))
            logger.info("Job finished", ["duration_ms": .milliseconds(ContinuousClock.now - start)])
        }
    }
}
