// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for the signal that ends the program, and sees to it that the program then does end.
package final class StopSignal: Sendable {
    private let signals: AsyncStream<Int32>
    private let grace: Mutex<Duration>
    private let logger: Logger

    /// From now on SIGTERM and SIGINT do nothing but end ``wait()``.
    /// - Parameters:
    ///   - grace: how long the program may take to end. Two seconds later it is ended whatever it does.
    ///   - logger: hears of the signal.
    package init(grace: Duration, logger: Logger) {
        signals = Signals.stream(of: Signals.ending)
        self.grace = Mutex(grace)
        self.logger = logger
    }

    /// Changes how long the program may take to end.
    package func setGrace(_ grace: Duration) {
        self.grace.withLock { $0 = grace }
    }

    /// Returns at the first signal, or when the task is cancelled. A second signal ends the process at once.
    package func wait() async {
        var iterator = signals.makeAsyncIterator()
        guard let first = await iterator.next() else { return }
        logger.info("Stopping", ["signal": .string(first == SIGINT ? "SIGINT" : "SIGTERM")])
        let signals = signals
        let logger = logger
        Task.detached {
            for await second in signals { _exit(128 + second) }
        }
        let (seconds, attoseconds) = grace.withLock { $0 }.components
        let deadline =
            DispatchTime.now() + .seconds(Int(clamping: seconds) + 2)
            + .nanoseconds(Int(clamping: attoseconds / 1_000_000_000))
        DispatchQueue.global().asyncAfter(deadline: deadline) { @Sendable in
            logger.error("The program did not end in time; it is cut off")
            logger.flush()
            _exit(1)
        }
    }
}
